#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <string.h>

#include "base/hint.h"
#include "base/tuning.h"
#include "base/version.h"
#include "cli/cli.h"
#include "outputs/utf8.h"

static const char help[] =
    "cubeswe: shallow water on the cubed sphere\n"
    "\n"
    "Usage: cubeswe <command> [arguments]\n"
    "\n"
    "  run CASE.yaml                   run a case\n"
    "  converge CASE.yaml --n 24,48    run a case at several resolutions, measure the errors\n"
    "  profile CASE.yaml               time every stage, the right-hand side and the step\n"
    "  bench [CASE.yaml]               time steps at many sizes, against what the device reaches\n"
    "  report DIR                      tell what a profile says, and write a page of it\n"
    "  compare A B                     tell which stages of one profiled run are slower in "
    "another\n"
    "  convert FILE... --to latlon     write fields for programs that do not know the cubed "
    "sphere\n"
    "  info [CASE.yaml]                describe the build, or what a case asks for\n"
    "  top DIR                         watch a run by the folder of its results\n"
    "\n"
    "CASE.yaml is a file, or the name of a ready case such as gaussian_seed (config/README.md).\n"
    "-h is short for --help, -o for --output; --version prints the version.\n"
    "\n"
    "cubeswe <command> --help, or cubeswe help <command>, tells more. Exit codes: 0 success, 1\n"
    "slower than allowed, 2 cannot tell whether slower, 64 usage, 65 bad data, 66 no input, 69\n"
    "backend not available, 70 internal or unstable, 71 memory, 73 cannot create, 74 input or\n"
    "output, 75 stopped and goes on when started again, 78 configuration.\n";

typedef swe_status command(swe_context *ctx, int argc, char **argv);

static const struct {
    const char *name;
    command *run;
} commands[] = {{"run", cli_run},         {"converge", cli_converge}, {"profile", cli_profile},
                {"bench", cli_bench},     {"report", cli_report},     {"compare", cli_compare},
                {"convert", cli_convert}, {"info", cli_info},         {"top", cli_top}};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static bool asks_for_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* --version is an option of every command. */
static bool asks_for_version(int argc, char **argv)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strcmp(argv[k], "--version") == 0)
            return true;
    return strcmp(argv[1], "version") == 0;
}

static swe_status run_command(swe_context *ctx, int argc, char **argv)
{
    swe_hint hint;
    swe_hint_start(&hint, argv[0]);
    for (int k = 0; k < COMMANDS; k++) {
        if (strcmp(argv[0], commands[k].name) == 0)
            return commands[k].run(ctx, argc, argv);
        swe_hint_offer(&hint, commands[k].name, NULL);
    }
    swe_hint_offer(&hint, "help", NULL);
    swe_hint_offer(&hint, "version", NULL);
    return swe_fail(ctx, SWE_USAGE, "no command '%.200s'%s (see cubeswe --help)", argv[0],
                    swe_hint_text(&hint));
}

/* cubeswe help, or cubeswe help COMMAND. */
static swe_status print_help(swe_context *ctx, int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 3 || asks_for_help(argv[2]) || strcmp(argv[2], "version") == 0) {
        fputs(help, stdout);
        return SWE_OK;
    }
    char *call[] = {argv[2], option, NULL};
    return run_command(ctx, 2, call);
}

static swe_status dispatch(swe_context *ctx, int argc, char **argv)
{
    if (argc < 2)
        return swe_fail(ctx, SWE_USAGE, "no command given (see cubeswe --help)");
    if (asks_for_version(argc, argv)) {
        printf("cubeswe %s\n", swe_version);
        return SWE_OK;
    }
    if (asks_for_help(argv[1]))
        return print_help(ctx, argc, argv);
    return run_command(ctx, argc - 1, argv + 1);
}

/* A closed standard stream would give its number to a result file, and text would land there. */
static void open_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1)
            open("/dev/null", O_RDWR); /* takes the lowest free number: this one */
}

int main(int argc, char **argv)
{
    swe_context ctx = {""};
    open_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end a run */
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is a failed write, reported as such */
    H5dont_atexit();          /* after a failed close, HDF5's exit handler crashes */
    swe_status status = swe_tuning_load(&ctx);
    if (status == SWE_OK)
        status = dispatch(&ctx, argc, argv);
    bool is_read = true;
    if (status == SWE_OK)
        status = cli_output_flush(&ctx, &is_read);
    prof_make_printable(ctx.message); /* names in it may hold anything */
    if (status != SWE_OK)
        fprintf(stderr, "cubeswe: %s\n",
                ctx.message[0] != '\0' ? ctx.message : swe_status_text(status));
    return swe_status_exit_code(status);
}
