#include "cli/info.h"

#include "base/tuning.h"

static swe_status run(swe_context *ctx, const cli_options *options)
{
    if (!options->kernels && (options->precision[0] || options->precision[1]))
        return swe_fail(ctx, SWE_USAGE, "--precision needs --kernels; a case sets its own");
    if (options->plan && options->case_file == NULL)
        return swe_fail(ctx, SWE_USAGE, "--plan needs a case file");
    if (options->keys && options->kernels)
        return swe_fail(ctx, SWE_USAGE, "--keys or --kernels: one of them at a time");
    if (options->manual != NULL) { /* "": of the program */
        const cli_command *command = NULL;
        if (options->manual[0] != '\0')
            SWE_TRY(cli_find_command(ctx, options->manual, &command));
        cli_manual(command);
        return SWE_OK;
    }
    if (options->keys) {
        swe_config_write_reference(stdout);
        putchar('\n');
        swe_tuning_write_reference(stdout);
        return SWE_OK;
    }
    if (options->peaks)
        return cli_info_peaks(ctx, options);
    if (options->kernels)
        return cli_info_kernels(ctx, options);
    if (options->case_file == NULL)
        return cli_info_build(ctx, options);
    if (options->plan)
        return cli_info_plan(ctx, options);
    if (options->json)
        return swe_fail(ctx, SWE_USAGE, "--json describes the build: give it no case file");
    return cli_info_case(ctx, options);
}

const cli_command cli_info = {
    .name = "info",
    .operands =
        "[CASE.yaml]\n--kernels [CASE.yaml]\n--plan CASE.yaml\n--keys\n--ceilings\n--man[=COMMAND]",
    .summary = "describe the build, or what a case needs",
    .text =
        "Without a case: version, build, backends, devices and libraries. With a case: points, "
        "memory, time step and Courant numbers; the estimated time, from about two seconds of "
        "steps, for a large case on a smaller grid; then the resolved configuration. A case that "
        "exceeds the memory of this machine, or whose initial flow is too fast for the time step, "
        "gets a warning.",
    .most_operands = 1,
    .accepts_case_name = true,
    .run = run,
    .options =
        {{.name = "set"},
         {.name = "backend",
          .text = "cpu, cuda, cuda:DEVICE or auto (default): a GPU if one works; with "
                  "--kernels the stages of a GPU (default), or with cpu those of a CPU"},
         {.name = "threads"},
         {.name = "kernels",
          .text = "print bytes and floating-point operations of each stage and CUDA kernel, "
                  "from formulas, at the n, order and precision of the case (without a "
                  "case: 384, 4, double), and the registers, memory and occupancy of the "
                  "compiled kernels; run nothing"},
         {.name = "plan", .text = "with a case: print the calls of a step, with their arguments"},
         {.name = "precision",
          .text = "with --kernels: double or single (default: the precision of the case)",
          .value = "P"},
         {.name = "ranks",
          .text = "with a case: the blocks, memory, messages and time of so many ranks (mpirun)"},
         {.name = "dry-run", .text = "with a case: run no steps, estimate no time"},
         {.name = "keys", .text = "print each configuration key, as in config/README.md"},
         {.name = "ceilings",
          .text = "measure the peak rates of the device in about a second: bytes per "
                  "second of copies in its memory and within each cache, FP64 and FP32 "
                  "operations per second of multiply-adds; on several ranks also "
                  "messages between them"},
         {.name = "man",
          .text = "print the manual page of a command or, by default, of the program (roff)"},
         {.name = "json", .text = "print JSON instead"}},
};
