/* The lengths of model time that the time step of a case must divide: intervals and time.end. */
#ifndef SWE_MODEL_CONFIG_TIME_H
#define SWE_MODEL_CONFIG_TIME_H

#include "model/config.h"

enum { SWE_MOST_PARTS = 1000, SWE_MOST_LENGTHS = 4 };

typedef struct swe_time_length {
    const char *key;
    double seconds;
} swe_time_length;

/* The intervals that are on, and time.end; none if no interval is on. */
typedef struct swe_time_lengths {
    swe_time_length of[SWE_MOST_LENGTHS];
    int count, shortest;
} swe_time_lengths;

swe_time_lengths swe_config_lengths(const swe_config *config);

/* How many times a time step makes a length [s], as a whole number but for the rounding of decimal
 * numbers; 0 if it does not divide it. */
double swe_config_count(double length, double dt);

/* Whether all are whole multiples of a time step. */
bool swe_config_divides(const swe_time_lengths *lengths, double dt);

/* The longest time step that divides all [s]; 0 if the shortest length would need more than
 * SWE_MOST_PARTS, or if there is none. */
double swe_config_longest_step(const swe_time_lengths *lengths);

/* The time step that the rule of the case gives, before it is shortened [s]. */
double swe_config_asked_step(const swe_config *config);

#endif
