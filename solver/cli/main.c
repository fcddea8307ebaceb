#include <ctype.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <string.h>

#include "base/version.h"
#include "cli/cli.h"

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
    "cubeswe <command> --help tells more. Exit codes: 0 success, 1 slower than allowed,\n"
    "64 usage, 65 bad data, 66 no input, 69 backend not available, 70 internal or unstable, 71\n"
    "memory, 73 cannot create, 74 input or output, 75 stopped with a checkpoint, 78 "
    "configuration.\n";

typedef swe_status command(swe_context *ctx, int argc, char **argv);

static const struct {
    const char *name;
    command *run;
} commands[] = {{"run", cli_run},         {"converge", cli_converge}, {"profile", cli_profile},
                {"bench", cli_bench},     {"report", cli_report},     {"compare", cli_compare},
                {"convert", cli_convert}, {"info", cli_info},         {"top", cli_top}};

static swe_status dispatch(swe_context *ctx, int argc, char **argv)
{
    if (argc < 2)
        return swe_fail(ctx, SWE_USAGE, "no command given (see cubeswe --help)");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return SWE_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("cubeswe %s\n", swe_version);
        return SWE_OK;
    }
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++)
        if (strcmp(argv[1], commands[k].name) == 0)
            return commands[k].run(ctx, argc - 1, argv + 1);
    return swe_fail(ctx, SWE_USAGE, "no command '%s' (see cubeswe --help)", argv[1]);
}

/* A closed standard stream would give its number to a result file, and text would land there. */
static void open_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1)
            open("/dev/null", O_RDWR); /* takes the lowest free number: this one */
}

/* Names in a message may hold anything; a message is one line. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

int main(int argc, char **argv)
{
    swe_context ctx = {""};
    open_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end a run */
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is a failed write, reported as such */
    H5dont_atexit();          /* after a failed close, HDF5's exit handler crashes */
    swe_status status = dispatch(&ctx, argc, argv);
    if (status == SWE_OK && fflush(stdout) != 0)
        status = swe_fail(&ctx, SWE_IO, "standard output cannot be written");
    make_printable(ctx.message);
    if (status != SWE_OK)
        fprintf(stderr, "cubeswe: %s\n",
                ctx.message[0] != '\0' ? ctx.message : swe_status_text(status));
    return swe_status_exit_code(status);
}
