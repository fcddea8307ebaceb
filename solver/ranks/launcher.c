#include "ranks/launcher.h"

#include <stddef.h>
#include <stdlib.h>

/* Variables of Open MPI; of MPICH, Intel MPI and other launchers with PMI; of Slurm, where only job
 * steps have a process number. */
static const struct {
    const char *ranks, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static int number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : otherwise;
}

/* Number of the launcher whose two variables are set; -1: none. */
static int find(void)
{
    for (int k = 0; k < LAUNCHERS; k++)
        if (getenv(launchers[k].ranks) != NULL && getenv(launchers[k].rank) != NULL)
            return k;
    return -1;
}

int swe_launcher_ranks(void)
{
    const int k = find();
    return k >= 0 ? number_of(launchers[k].ranks, 1) : 1;
}

int swe_launcher_rank(void)
{
    const int k = find();
    return k >= 0 ? number_of(launchers[k].rank, 0) : 0;
}
