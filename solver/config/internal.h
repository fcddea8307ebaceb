/* Internal to the configuration: from the texts of a case file to a configuration that can be run.
 *
 * config.c        case file, environment and --set, in this order; paths and names
 * document.c      the YAML document and the origin of each key; yaml.c bounds it
 * read.c          each key by itself: known, given once, of its type and in its range
 * field_groups.c  the prognostic fields that the keys decide
 * check.c         keys against each other and against the machine
 * derived.c       the time step, and the options of model, case and profiler
 * write.c         the resolved configuration as YAML, and the table of keys
 * differences.c   what makes two configurations different cases
 * keys.c          the keys, and how to go through their values */
#ifndef SWE_CONFIG_INTERNAL_H
#define SWE_CONFIG_INTERNAL_H

#include "config/config.h"
#include "config/document.h"

/* The document that is checked, and the context that receives the error. */
typedef struct swe_checker {
    swe_context *ctx;
    swe_document *document;
    bool is_plan;   /* the case need not fit in this machine's memory */
    bool is_of_run; /* an earlier run has checked it, perhaps by other rules */
} swe_checker;

/* Fail with SWE_CONFIG. The message starts with file, line and key. */
swe_status swe_config_refuse(const swe_checker *c, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a text is one line of printable characters: it is then safe in JSON, in attributes and on
 * a terminal, and survives being written in quotes and read again. */
bool swe_config_is_printable(const char *text);

/* Index of a word in "a|b|c"; -1 if it is not in the list. */
int swe_config_index(const char *word, const char *choices);

/* Check sections and keys of the document: each known and given once, a value or a list as the
 * table (keys.c) requires. Errors: SWE_CONFIG. */
swe_status swe_config_check_structure(const swe_checker *c);

/* Read each key of each section, checked for type and range; a missing key has its default. Errors:
 * SWE_CONFIG, SWE_NO_MEMORY. */
swe_status swe_config_read(const swe_checker *c, swe_config *out);

/* Check the keys against each other and against the machine. Errors: SWE_CONFIG. */
swe_status swe_config_check(const swe_checker *c, const swe_config *config);
/* The part of this check for sections `initial` and `bottom`. */
swe_status swe_config_check_initial(const swe_checker *c, const swe_config *config);
/* Check that a text is empty or a number. */
swe_status swe_config_check_time(const swe_checker *c, const char *path, const char *time);
/* Check that the keys beside `kind`, the path of a key, have their default unless the word of
 * `kind` reads them: `keys` lists the keys that it reads ("lon, lat"). (Configurations that runs
 * write contain all keys.) `entry`: of a list. */
swe_status swe_config_check_unread(const swe_checker *c, const swe_config *config, const char *kind,
                                   unsigned entry, const char *word, const char *keys);

/* The values that a run uses: damping, dissipation and time.dt as they run. A shallow copy. */
swe_config swe_config_resolved(const swe_config *config);

/* ---- the time step --------------------------------------------------------------------------- */

enum { SWE_MOST_PARTS = 1000, SWE_MOST_LENGTHS = 6 };

typedef struct swe_time_length {
    const char *key;
    double seconds;
} swe_time_length;

/* Intervals of model time that are set, and time.end; none if no interval is set. */
typedef struct swe_time_lengths {
    swe_time_length of[SWE_MOST_LENGTHS];
    int count, shortest; /* number, and index of the shortest */
} swe_time_lengths;

swe_time_lengths swe_config_lengths(const swe_config *config);

/* Whole number of steps dt in a length [s], up to the rounding of decimal numbers; 0 if dt does not
 * divide it. */
double swe_config_count(double length, double dt);

/* Whether dt divides all lengths. */
bool swe_config_divides(const swe_time_lengths *lengths, double dt);

/* Longest time step [s] that divides all lengths; 0 if there are no lengths, or if the shortest
 * would need more than SWE_MOST_PARTS steps. */
double swe_config_longest_step(const swe_time_lengths *lengths);

/* Time step [s] by the rule of the case (time.dt, time.dt_times_n, time.courant), before it is
 * shortened.
 */
double swe_config_requested_step(const swe_config *config);

#endif
