/* What a launcher of MPI tells the processes that it starts, in their environment. */
#ifndef SWE_RANKS_LAUNCHER_H
#define SWE_RANKS_LAUNCHER_H

/* The number of ranks, and that of this one. Without a launcher 1 and 0. */
int swe_launcher_ranks(void);
int swe_launcher_rank(void);

#endif
