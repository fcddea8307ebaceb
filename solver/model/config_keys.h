/* Every configuration key: the schema, the defaults, the checks and config/README.md come from
 * here.
 *
 *     REAL(section, name, default, least, most, unit, meaning)
 *     INTEGER(section, name, default, least, most, unit, meaning)
 *     CHOICE(section, name, default, "a|b|c", meaning)
 *     TEXT(section, name, default, meaning)
 *     REALS(section, name, least, most, unit, meaning)       list of numbers, default empty
 *     WORDS(section, name, default, "a|b|c", meaning)        list of words; the default is one, too
 */
#ifndef SWE_MODEL_CONFIG_KEYS_H
#define SWE_MODEL_CONFIG_KEYS_H

#define SWE_CONFIG_SECTIONS(SECTION)                                                               \
    SECTION(grid)                                                                                  \
    SECTION(scheme)                                                                                \
    SECTION(physics)                                                                               \
    SECTION(initial)                                                                               \
    SECTION(time)                                                                                  \
    SECTION(output)                                                                                \
    SECTION(diagnostics)                                                                           \
    SECTION(profile)

#define SWE_CONFIG_grid(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                                 \
    INTEGER(grid, n, 96, 4, 16384, "cells",                                                        \
            "cells along a panel side; at least 4, 7, 11 for orders 2, 4, 6")                      \
    INTEGER(grid, order, 4, 2, 6, "", "order of the operators in the interior: 2, 4 or 6")         \
    CHOICE(grid, closure, "default", "default|published",                                          \
           "boundary interpolation; `published` (order 4 only) is that of arXiv 2501.07323")

#define SWE_CONFIG_scheme(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                               \
    CHOICE(scheme, pipeline, "fused", "fused|staged",                                              \
           "how a step is computed, to the same numbers but for rounding: one sweep over the "     \
           "state a part, or stage by stage, each with its arrays")                                \
    CHOICE(scheme, precision, "double", "double|single",                                           \
           "of the state and of all that a step computes; `single`: half the memory and traffic, " \
           "errors that stop falling at some 1e-6 (validation/results/precision.md); grid, "       \
           "diagnostics and files are double in any case")

#define SWE_CONFIG_physics(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(physics, model, "linear", "linear", "equations")                                        \
    REAL(physics, gravity, 1.0, 1e-12, 1e12, "m s-2", "gravity g")                                 \
    REAL(physics, depth, 1.0, 1e-12, 1e12, "m", "mean depth H0")                                   \
    REAL(physics, radius, 1.0, 1e-12, 1e12, "m", "radius a of the sphere")

#define SWE_CONFIG_initial(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(initial, kind, "gaussian", "gaussian|standing_wave|file",                               \
           "pulse, standing wave (both at rest), or the fields h, v1, v2 of a file")               \
    REAL(initial, lon, 0.0, -360.0, 360.0, "degree", "longitude of the pulse or wave axis")        \
    REAL(initial, lat, 90.0, -90.0, 90.0, "degree", "latitude of the pulse or wave axis")          \
    REAL(initial, amplitude, 0.01, -1e12, 1e12, "m", "amplitude A of the pulse or wave")           \
    REAL(initial, width, 0.18, 1e-3, 0.3, "rad2",                                                  \
         "pulse: h = A exp(-theta^2 / width), theta the angle from its centre in radians")         \
    INTEGER(initial, degree, 3, 1, 1000, "", "standing wave: degree l of Re[(e . r)^l]")           \
    REAL(initial, angle, 0.0, -360.0, 360.0, "degree", "standing wave: turn about its axis")       \
    TEXT(initial, path, "",                                                                        \
         "file: HDF5 with h (6,n+1,n+1), v1 (6,n+1,n), v2 (6,n,n+1), index order [panel][j][i];"   \
         " relative to the case file")

#define SWE_CONFIG_time(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                                 \
    REAL(time, end, 1.0, 1e-12, 1e12, "s", "model time at which the run ends")                     \
    REAL(time, dt, 0.0, 0.0, 1e12, "s", "time step")                                               \
    REAL(time, dt_times_n, 0.0, 0.0, 1e12, "s", "time step times grid.n")                          \
    REAL(time, courant, 0.0, 0.0, 10.0, "",                                                        \
         "time step from the Courant number c dt / (a D), D = (pi/2)/n; of the three keys set one" \
         " (none: courant 0.2), the step is then shortened to end exactly at time.end")

#define SWE_CONFIG_output(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                               \
    INTEGER(output, every, 0, 0, 1000000000, "steps",                                              \
            "steps between field files; 0: only the final state, which is always written")         \
    WORDS(output, fields, "h|wind|native", "h|wind|native",                                        \
          "what a field file holds: h, zonal and meridional wind at vertices, staggered v1, v2")

#define SWE_CONFIG_diagnostics(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                          \
    INTEGER(diagnostics, every, 0, 0, 1000000000, "steps",                                         \
            "steps between rows of diagnostics.csv; 0: only the first and the last")               \
    REALS(diagnostics, sample_times, 0.0, 1e12, "s",                                               \
          "model times at which errors are sampled for their maximum (nearest step)")              \
    REAL(diagnostics, sample_interval, 0.0, 0.0, 1e12, "s",                                        \
         "errors are sampled at all multiples of this time, too; 0: off")

#define SWE_CONFIG_profile(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(profile, mode, "off", "off|trace|summary|nsys|counters",                                \
           "of `run` and `profile`; `trace`: traces, tables, memory and summary of each window of" \
           " steps; `summary`: no traces; `nsys`: record nothing, bracket the windows for nsys "   \
           "or ncu; `counters`: GPU: count memory traffic and FP64 operations by stage, in place " \
           "of a trace")                                                                           \
    TEXT(profile, dir, "",                                                                         \
         "folder of the profiles, one step_<step> a window, relative to where the program runs;"   \
         " none: `profile` in the folder of the results")                                          \
    INTEGER(profile, start_step, 10, 0, 1000000000000, "steps", "warm-up before the first window") \
    INTEGER(profile, duration, 3, 1, 1000000, "steps", "length of a window")                       \
    INTEGER(profile, interval, 0, 0, 1000000000000, "steps",                                       \
            "from the start of a window to that of the next; 0: one window")                       \
    INTEGER(profile, max_events, 1000000, 1000, 100000000, "",                                     \
            "most regions and most GPU records that a window keeps; what is beyond is counted")    \
    CHOICE(profile, counters, "auto", "auto|on|off",                                               \
           "CPU: count instructions, cycles, cache misses, context switches and time on a core of" \
           " every thread in every stage, at some microseconds each; `auto`: where the cores have" \
           " counters, which virtual machines often do not")                                       \
    INTEGER(profile, sampling, 0, 0, 1000000, "us",                                                \
            "GPU: in windows of modes `trace` and `summary`, from one sample of its counters"      \
            " (activity of multiprocessors and FP64 units, memory traffic, hits in L2) to the"     \
            " next; 0: none")                                                                      \
    WORDS(profile, traces, "perfetto|xplane", "perfetto|xplane|json",                              \
          "trace files of mode `trace`: for ui.perfetto.dev, for TensorBoard and XProf, and as"    \
          " gzipped JSON")

#endif
