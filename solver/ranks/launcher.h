/* The environment in which a launcher of MPI starts a process. */
#ifndef SWE_RANKS_LAUNCHER_H
#define SWE_RANKS_LAUNCHER_H

/* The number of ranks, and the number of this rank. Without a launcher 1 and 0. */
int swe_launcher_ranks(void);
int swe_launcher_rank(void);

#endif
