/* A run's regions in small: a setup, two steps with two stages each inside a window, and what a
 * second thread does of the last stage. Prints whether a tool is attached. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sources/sources.h"

enum { SETUP, STEPS, STEP, RHS, GRADIENT, DIVERGENCE, SHARE, GRAPH, MESSAGES, REGIONS };
static const prof_region regions[REGIONS] = {
    [SETUP] = {"setup", PROF_PHASE},       [STEPS] = {"steps", PROF_PHASE},
    [STEP] = {"step", PROF_STEP},          [RHS] = {"right-hand side", PROF_SUBSTEP},
    [GRADIENT] = {"gradient", PROF_STAGE}, [DIVERGENCE] = {"divergence", PROF_STAGE},
    [SHARE] = {"divergence", PROF_THREAD}, [GRAPH] = {"graph", PROF_LAUNCH},
    [MESSAGES] = {"messages", PROF_WAIT},
};

static void stage(prof_nvtx *nvtx, int region)
{
    prof_nvtx_push(nvtx, region, -1);
    prof_nvtx_pop(nvtx);
}

static void *share(void *nvtx)
{
    stage(nvtx, SHARE);
    return NULL;
}

static void step(prof_nvtx *nvtx, int64_t number)
{
    prof_nvtx_push(nvtx, STEP, number);
    prof_nvtx_push(nvtx, RHS, -1);
    stage(nvtx, GRADIENT);
    prof_nvtx_push(nvtx, DIVERGENCE, -1);
    stage(nvtx, MESSAGES);
    prof_nvtx_pop(nvtx);
    prof_nvtx_pop(nvtx);
    prof_nvtx_pop(nvtx);
}

int main(void)
{
    prof_nvtx *nvtx = prof_nvtx_create(regions, REGIONS);
    puts(nvtx != NULL ? "attached" : "no tool");
    stage(nvtx, SETUP);
    prof_nvtx_push(nvtx, STEPS, -1);
    prof_nvtx_window(nvtx, true, 40);
    step(nvtx, 40);
    step(nvtx, 41);
    stage(nvtx, GRAPH);
    prof_nvtx_window(nvtx, false, 40);
    pthread_t thread;
    if (pthread_create(&thread, NULL, share, nvtx) != 0)
        return EXIT_FAILURE;
    pthread_join(thread, NULL);
    prof_nvtx_pop(nvtx);
    prof_nvtx_destroy(&nvtx);
    return nvtx == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
