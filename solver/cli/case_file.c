#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hint.h"
#include "cli/cli.h"
#include "cli/results.h"
#include "run/start.h"
#include "base/text.h"

static const char ending[] = ".yaml";

enum { ENDING = sizeof ending - 1, FOLDERS = 4, PATH = 4096 };

/* Folders of ready cases: the current folder, its config/, the config/ of an installation and the
 * config/ of a build tree. */
typedef struct case_folders {
    char folder[FOLDERS][PATH];
    int count;
} case_folders;

static void cut_last_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
}

static void find_folders(case_folders *p)
{
    char program[PATH];
    *p = (case_folders){.folder = {".", "config"}, .count = 2};
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    cut_last_name(program); /* removes the name; the folder is PREFIX/bin or TREE/build/release */
    cut_last_name(program);
    snprintf(p->folder[p->count++], PATH, "%.4000s/share/cubeswe/config", program);
    cut_last_name(program);
    snprintf(p->folder[p->count++], PATH, "%.4000s/config", program);
}

/* Start a hint for the name of a case, without its ending. */
static void start_hint(swe_hint *hint, const char *name)
{
    char word[SWE_HINT_WORD];
    snprintf(word, sizeof word, "%s", name);
    if (cli_ends_with(word, ending))
        word[strlen(word) - ENDING] = '\0';
    swe_hint_start(hint, word);
}

/* Offer the cases of a folder to a hint, in alphabetical order. */
static void offer_cases(swe_hint *hint, const char *folder, const char *suffix)
{
    struct dirent **entry = NULL;
    const int count = scandir(folder, &entry, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        char *name = entry[k]->d_name;
        char suggested[SWE_HINT_WORD];
        if (cli_ends_with(name, ending)) {
            name[strlen(name) - ENDING] = '\0';
            snprintf(suggested, sizeof suggested, "%.50s%s", name, suffix);
            swe_hint_offer(hint, name, suggested);
        }
        free(entry[k]);
    }
    free(entry);
}

/* Refuse a path that does not exist, and suggest similar names in its folder. */
static swe_status refuse_path(swe_context *ctx, const char *path)
{
    swe_hint hint;
    char folder[PATH];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    start_hint(&hint, slash + 1);
    offer_cases(&hint, folder, ending);
    return swe_fail(ctx, SWE_NO_INPUT, "%.500s: no such file%s", path, swe_hint_text(&hint));
}

static swe_status refuse_name(swe_context *ctx, const char *name, const case_folders *p)
{
    swe_hint hint;
    start_hint(&hint, name);
    for (int k = 0; k < p->count; k++)
        offer_cases(&hint, p->folder[k], "");
    return swe_fail(ctx, SWE_NO_INPUT, "%.200s: no such file%s%s", name,
                    cli_ends_with(name, ending) ? "" : ", and no ready case of this name",
                    swe_hint_text(&hint));
}

swe_status cli_find_case(swe_context *ctx, cli_options *options)
{
    struct stat info;
    const char *name = options->case_file;
    if (name == NULL || name[0] == '\0' || stat(name, &info) == 0)
        return SWE_OK;
    if (strchr(name, '/') != NULL)
        return refuse_path(ctx, name);
    case_folders p;
    find_folders(&p);
    for (int k = 0; k < p.count && !cli_ends_with(name, ending); k++) {
        const bool is_here = strcmp(p.folder[k], ".") == 0;
        const int length = snprintf(options->found_case, sizeof options->found_case, "%s%s%s%s",
                                    is_here ? "" : p.folder[k], is_here ? "" : "/", name, ending);
        if (length < (int)sizeof options->found_case && stat(options->found_case, &info) == 0 &&
            S_ISREG(info.st_mode)) {
            options->case_file = options->found_case;
            if (!options->quiet)
                fprintf(stderr, "cubeswe: case %s\n", SWE_SHOWN(options->found_case));
            return SWE_OK;
        }
    }
    return refuse_name(ctx, name, &p);
}

swe_status cli_load_sized(swe_context *ctx, const cli_options *options, const char *const *settings,
                          int order, int n, swe_config **out)
{
    const char *set[CLI_MOST_SET + 4];
    char set_n[32], set_order[32];
    int count = options->set_count;
    memcpy(set, options->set, (size_t)count * sizeof set[0]);
    for (int k = 0; settings != NULL && settings[k] != NULL; k++)
        set[count++] = settings[k];
    snprintf(set_n, sizeof set_n, "grid.n=%d", n);
    snprintf(set_order, sizeof set_order, "grid.order=%d", order);
    if (n > 0)
        set[count++] = set_n;
    if (order > 0)
        set[count++] = set_order;
    return swe_config_load(ctx, options->case_file, set, count, out);
}

swe_status cli_refuse_case(swe_context *ctx, const cli_options *options, const char *why,
                           swe_config **config)
{
    swe_config_destroy(config);
    return swe_fail(ctx, SWE_CONFIG, "%s: initial.kind: %s",
                    options->case_file != NULL ? options->case_file : "--set", why);
}

swe_status cli_start_model(swe_context *ctx, const swe_config *config,
                           const swe_model_options *options, swe_model **out)
{
    const swe_initial initial = swe_config_initial(config);
    swe_case *test_case = NULL;
    swe_status status = swe_model_create(ctx, options, out);
    if (status == SWE_OK && initial.kind != SWE_INITIAL_FILE)
        status = swe_case_create(ctx, &initial, &options->physics, &test_case);
    if (status == SWE_OK)
        status = swe_start_model(ctx, config, test_case, *out);
    swe_case_destroy(&test_case);
    if (status != SWE_OK)
        swe_model_destroy(out);
    return status;
}
