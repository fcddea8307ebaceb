#include <fcntl.h>
#include <hdf5.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/tuning.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "base/text.h"
#include "run/tasks.h"
#include "ranks/ranks.h"

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_version(const char *word)
{
    return strcmp(word, "version") == 0 || strcmp(word, "--version") == 0 ||
           strcmp(word, "-V") == 0;
}

/* Ranks wait for messages without giving up their cores, so those that share one wait for each
 * other. */
static void note_shared_cores(const cli_options *options)
{
    swe_context quiet = {""};
    const swe_backend *backend = NULL;
    const double cores = swe_ranks_cores_each();
    int index = 0, threads = options->threads > 0 ? options->threads : 1;
    if (swe_ranks_count() == 1 || options->quiet)
        return;
    if (options->threads == 0 && getenv("OMP_NUM_THREADS") != NULL &&
        swe_backend_find(&quiet, options->backend, &backend, &index) == SWE_OK &&
        backend == &swe_backend_cpu)
        threads = omp_get_max_threads(); /* each rank has as many */
    if (threads > cores)
        fprintf(
            stderr,
            "cubeswe: note: ranks share cores: %.2g for each, with %d thread%s; a rank keeps its "
            "core while it waits for another: start fewer ranks or threads, or bind each rank "
            "to its own cores (mpirun --bind-to core)\n",
            cores, threads, threads > 1 ? "s" : "");
}

/* Parsing reorders `argv`; `command_line` keeps the given order. */
static swe_status run_sorted(swe_context *ctx, const cli_command *command, int argc, char **argv,
                             char *const *command_line)
{
    cli_options options;
    SWE_TRY(cli_parse(ctx, argc, argv, command, &options));
    options.command_line = command_line;
    if (options.help)
        cli_help(command);
    else if (options.version)
        printf("cubeswe %s\n", swe_version);
    else {
        note_shared_cores(&options);
        return command->run(ctx, &options);
    }
    return SWE_OK;
}

static swe_status run_command(swe_context *ctx, int argc, char **argv)
{
    const cli_command *command = NULL;
    SWE_TRY(cli_find_command(ctx, argv[0], &command));
    char **sorted = calloc((size_t)argc + 1, sizeof *sorted);
    if (sorted == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the arguments");
    memcpy(sorted, argv, (size_t)argc * sizeof *sorted);
    const swe_status status = run_sorted(ctx, command, argc, sorted, argv);
    free(sorted);
    return status;
}

static swe_status dispatch(swe_context *ctx, int argc, char **argv)
{
    const cli_command *command = NULL;
    if (argc < 2)
        return swe_fail(ctx, SWE_USAGE, "no command given (see cubeswe --help)");
    if (is_help(argv[1])) { /* of a command, or of the program */
        if (argc > 2 && !is_help(argv[2]) && !is_version(argv[2]))
            SWE_TRY(cli_find_command(ctx, argv[2], &command));
        cli_help(command);
        return SWE_OK;
    }
    if (!is_version(argv[1]))
        return run_command(ctx, argc - 1, argv + 1);
    printf("cubeswe %s\n", swe_version);
    return SWE_OK;
}

/* Environment of the process; no POSIX header declares it. */
extern char **environ;

/* Remove HDF5's variables: locks, drivers, connectors and plug-ins that they select would end a run
 * at its first file, or write files that others cannot read. A request to use another version of
 * HDF5 stays. Called before HDF5 and before any thread. */
static void remove_hdf5_variables(void)
{
    char **kept = environ;
    for (char **variable = environ; *variable != NULL; variable++)
        if (strncmp(*variable, "HDF5_", 5) != 0 ||
            strncmp(*variable, "HDF5_DISABLE_VERSION_CHECK=", 27) == 0)
            *kept++ = *variable;
    *kept = NULL;
}

/* Root and other ranks. The others use the same knobs: the root reports what is wrong with them. */
static swe_status run_ranks(swe_context *ctx, int argc, char **argv)
{
    swe_context quiet = {""};
    if (swe_ranks_rank() > 0) {
        swe_tuning_load(&quiet);
        cli_stop_install();
        swe_model_serve(swe_task_serve, cli_stop_signal());
        swe_model_release_served();
        return SWE_OK;
    }
    bool is_read = true;
    swe_status status = swe_tuning_load(ctx);
    if (status == SWE_OK)
        status = dispatch(ctx, argc, argv);
    if (status == SWE_OK)
        status = cli_output_flush(ctx, &is_read);
    swe_model_dismiss();
    return status;
}

int main(int argc, char **argv)
{
    swe_context ctx = {""};
    remove_hdf5_variables();
    /* Open closed standard streams: otherwise a result file could receive the descriptor, and
     * printed text with it. `open` takes the lowest free descriptor, which is `stream`. */
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1)
            open("/dev/null", O_RDWR);
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end a run */
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported as a failed write */
    H5dont_atexit();          /* after a failed close, HDF5's exit handler crashes */
#ifdef H5_HAVE_PARALLEL
    H5open(); /* before MPI: else MPI_Finalize calls that handler */
#endif
    swe_status status = swe_ranks_start(&ctx);
    if (status == SWE_OK)
        status = swe_ranks_check_arguments(&ctx, argc, argv);
    if (status == SWE_OK)
        status = run_ranks(&ctx, argc, argv);
    swe_to_printable(ctx.message); /* file names in it may contain control characters */
    if (status != SWE_OK && swe_ranks_prints())
        fprintf(stderr, "cubeswe: %s\n",
                ctx.message[0] != '\0' ? ctx.message : swe_status_text(status));
    swe_ranks_end();
    return swe_status_exit_code(status);
}
