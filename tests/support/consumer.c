/* A program that uses the installed library, in the common part of C and C++:
 *
 *     consumer CASE SETTING FILE    two models in two threads, to the end of the case; writes FILE
 *     consumer CASE SETTING         prints the message of a failure */
#include <cubeswe.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct job {
    cubeswe_options options;
    cubeswe_model *model;
    cubeswe_error error;
} job;

static void *run(void *argument)
{
    job *j = (job *)argument;
    cubeswe_info info;
    if (cubeswe_create(&j->options, &j->model, &j->error) != CUBESWE_OK)
        return NULL;
    cubeswe_get_info(j->model, &info);
    cubeswe_advance(j->model, info.end, NULL, NULL, &j->error);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *settings[1] = {argv[2]};
    job jobs[2];
    pthread_t threads[2];
    memset(jobs, 0, sizeof jobs);
    for (int k = 0; k < 2; k++) {
        jobs[k].options.case_file = argv[1];
        jobs[k].options.settings = settings;
        jobs[k].options.setting_count = 1;
        jobs[k].options.backend = "cpu";
        jobs[k].options.threads = 2;
        pthread_create(&threads[k], NULL, run, &jobs[k]);
    }
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    if (jobs[1].error.status == CUBESWE_OK && argc > 3)
        cubeswe_write(jobs[1].model, argv[3], "h native vorticity", &jobs[1].error);
    if (jobs[1].error.status != CUBESWE_OK)
        printf("%s\n", jobs[1].error.message);
    for (int k = 0; k < 2; k++)
        cubeswe_destroy(&jobs[k].model);
    return (int)jobs[1].error.status;
}
