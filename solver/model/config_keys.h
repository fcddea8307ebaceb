/* All configuration keys. The schema, the defaults, the checks and config/README.md derive from
 * this list.
 *
 *     REAL(section, name, default, least, most, unit, meaning)
 *     INTEGER(section, name, default, least, most, unit, meaning)
 *     CHOICE(section, name, default, "a|b|c", meaning)
 *     TEXT(section, name, default, meaning)
 *     REALS(section, name, least, most, unit, meaning)       list of numbers, default empty
 *     WORDS(section, name, default, "a|b|c", meaning)        list of words; default: words as "a|b"
 *
 * A section is a map of keys, or a list of maps (SWE_CONFIG_LISTS). LIST(list, map): each entry has
 * the keys of SWE_CONFIG_<list> and a map `map` with those of SWE_CONFIG_<list>_<map>; there the
 * first argument of a key is the name of its list of keys, <list> or <list>_<map>, and no value is
 * a list. */
#ifndef SWE_MODEL_CONFIG_KEYS_H
#define SWE_MODEL_CONFIG_KEYS_H

#include "output/outputs.h"

#define SWE_CONFIG_SECTIONS(SECTION)                                                               \
    SECTION(grid)                                                                                  \
    SECTION(scheme)                                                                                \
    SECTION(physics)                                                                               \
    SECTION(initial)                                                                               \
    SECTION(bottom)                                                                                \
    SECTION(time)                                                                                  \
    SECTION(parallel)                                                                              \
    SECTION(output)                                                                                \
    SECTION(diagnostics)                                                                           \
    SECTION(checkpoint)                                                                            \
    SECTION(profile)

#define SWE_CONFIG_LISTS(LIST) LIST(tracers, initial)

#define SWE_CONFIG_tracers(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    TEXT(tracers, name, "",                                                                        \
         "nonlinear: of a passive tracer that the flow advects, in any number; its concentration"  \
         " in field files, `<name>_mass`, `<name>_min` and `<name>_max` in diagnostics.csv")

#define SWE_CONFIG_tracers_initial(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                      \
    CHOICE(tracers_initial, kind, "constant",                                                      \
           "constant|gaussian|cosine_bell|slotted_cylinder|file",                                  \
           "concentration at the start (formulas: `solver/model/tracers.c`)")                      \
    REAL(tracers_initial, lon, 0.0, -360.0, 360.0, "degree", "longitude of the centre")            \
    REAL(tracers_initial, lat, 0.0, -90.0, 90.0, "degree", "latitude of the centre")               \
    REAL(tracers_initial, radius, 0.3333333333333333, 1e-3, 3.2, "rad",                            \
         "of the bell or cylinder; gaussian: distance at which it has fallen to 1/e")              \
    REAL(tracers_initial, amplitude, 1.0, -1e12, 1e12, "",                                         \
         "above the background; constant: the"                                                     \
         " concentration")                                                                         \
    REAL(tracers_initial, background, 0.0, -1e12, 1e12, "", "concentration far from the centre")   \
    TEXT(tracers_initial, path, "",                                                                \
         "file: netCDF-4 or HDF5, on a grid as of initial.path; relative to the case file")        \
    TEXT(tracers_initial, variable, "", "file: name of the concentration; none: the tracer's")     \
    TEXT(tracers_initial, time, "", "file: likewise initial.time")

#define SWE_CONFIG_grid(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                                 \
    INTEGER(                                                                                       \
        grid, n, 96, 4, 16384, "cells",                                                            \
        "cells along a panel side; at least 4, 9, 13 at orders 2, 4, 6, with dissipation 4, 13, "  \
        "15; equispaced 4, 7, 11")                                                                 \
    INTEGER(grid, order, 4, 2, 6, "", "order of the operators in the interior: 2, 4 or 6")         \
    CHOICE(grid, closure, "moved", "moved|equispaced|published",                                   \
           "operators near panel edges: `moved` (orders 4 and 6), the first points of a line at "  \
           "places of least error; `equispaced`, called `default` in earlier versions; "           \
           "`published` (order 4), the interpolation of arXiv 2501.07323")

#define SWE_CONFIG_scheme(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                               \
    CHOICE(scheme, pipeline, "fused", "fused|staged",                                              \
           "how a step is computed, with equal results up to rounding: in sweeps over the "        \
           "state, or stage by stage with arrays between the stages")                              \
    CHOICE(scheme, time, "rk4", "rk4|leapfrog4",                                                   \
           "time step: classical Runge-Kutta, or leapfrog of order 4, which has half the work of " \
           "a step, a sixth of its error and Courant numbers of up to 1.22 times as much; "        \
           "`leapfrog4` is for linear flows without rotation, on CPUs")                            \
    CHOICE(scheme, precision, "double", "double|single",                                           \
           "of the state and of every step; `single`: half the memory and traffic, errors "        \
           "that stop falling near 1e-6 (validation/results/precision.md); grid and "              \
           "diagnostics are always double, files have output.precision")                           \
    REAL(                                                                                          \
        scheme, edge_damping, -1.0, -1.0, 1.0, "",                                                 \
        "sigma of the damping of jumps of the normal flux at panel edges, once a step; negative: " \
        "none in the linear model, 0.1 in the nonlinear one; the number is written")               \
    REAL(scheme, dissipation, -1.0, -1.0, 4.0, "",                                                 \
         "epsilon of the dissipation of the shortest waves within panels, once a step; negative: " \
         "none in the linear model, in the nonlinear one 0.1, 2, 3.75 at orders 2, 4, 6; with "    \
         "other closures than `moved` 0.1, 0.5, 2")

#define SWE_CONFIG_parallel(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                             \
    INTEGER(parallel, blocks_1, 1, 1, 1024, "",                                                    \
            "blocks along xi1 that each panel is cut into, with memory of their own; results do "  \
            "not depend on it. 1 and 1: on several ranks, as many as they need")                   \
    INTEGER(parallel, blocks_2, 1, 1, 1024, "", "likewise along xi2")                              \
    CHOICE(parallel, transport, "auto", "auto|mpi|nccl|ipc",                                       \
           "messages between the GPUs of several ranks: `mpi`, through host memory; `nccl`, by "   \
           "NVIDIA's library (libnccl.so.2, 2.13 or later); `ipc`, copied between the GPUs of "    \
           "one machine by CUDA IPC; `auto`, the fastest of those that work")

#define SWE_CONFIG_physics(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(physics, model, "linear", "linear|nonlinear",                                           \
           "equations: `linear`, about a layer at rest, h the height above it; `nonlinear`, "      \
           "vector-invariant, h the depth of the fluid")                                           \
    REAL(physics, gravity, 1.0, 1e-12, 1e12, "m s-2", "gravity g")                                 \
    REAL(physics, depth, 1.0, 1e-12, 1e12, "m",                                                    \
         "mean depth H0; nonlinear: a typical depth, for Courant numbers")                         \
    REAL(physics, radius, 1.0, 1e-12, 1e12, "m", "radius a of the sphere")                         \
    REAL(physics, rotation, 0.0, -1e12, 1e12, "s-1", "rotation rate Omega of the sphere")          \
    REAL(physics, axis_lon, 0.0, -360.0, 360.0, "degree", "longitude of the axis of rotation")     \
    REAL(physics, axis_lat, 90.0, -90.0, 90.0, "degree", "latitude of the axis of rotation")

#define SWE_CONFIG_initial(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(initial, kind, "gaussian",                                                              \
           "gaussian|standing_wave|geostrophic|hough|matsuno|williamson2|williamson5|williamson6|" \
           "galewsky|laeuter|lake_at_rest|file",                                                   \
           "the case (`solver/cases/`), laid out about the axis of rotation, or the fields of a"   \
           " file")                                                                                \
    REAL(initial, lon, 0.0, -360.0, 360.0, "degree",                                               \
         "gaussian, standing_wave, lake_at_rest: longitude of pulse, wave axis or mountain")       \
    REAL(initial, lat, 90.0, -90.0, 90.0, "degree", "likewise the latitude")                       \
    REAL(initial, amplitude, 0.01, -1e12, 1e12, "m",                                               \
         "amplitude A of the pulse, wave or mountain; of matsuno the velocity's, in m s-1")        \
    REAL(initial, width, 0.18, 1e-3, 0.3, "rad2",                                                  \
         "gaussian, lake_at_rest: A exp(-theta^2 / width), theta the angle from the centre in"     \
         " radians")                                                                               \
    INTEGER(initial, degree, 3, 1, 1000, "", "standing_wave: degree l of Re[(e . r)^l]")           \
    REAL(initial, angle, 0.0, -360.0, 360.0, "degree",                                             \
         "standing_wave: rotation about its axis; laeuter: alpha, the angle between "              \
         "flow and rotation")                                                                      \
    REAL(initial, period, 1036800.0, 1e-12, 1e12, "s",                                             \
         "geostrophic, williamson2, laeuter: time in which the flow goes around once; its speed"   \
         " is 2 pi a / period")                                                                    \
    INTEGER(initial, wavenumber, 4, 0, 100, "", "hough, matsuno, williamson6: zonal wavenumber")   \
    INTEGER(initial, mode, 1, 0, 100, "",                                                          \
            "hough, matsuno: meridional mode; of hough 0 is the Kelvin wave (eastward) and the"    \
            " mixed Rossby-gravity wave (rossby)")                                                 \
    CHOICE(initial, wave, "rossby", "rossby|eastward|westward",                                    \
           "hough, matsuno: Rossby wave, or eastward or westward inertia-gravity wave")            \
    CHOICE(initial, perturbation, "yes", "yes|no", "galewsky: whether the jet is disturbed")       \
    TEXT(initial, path, "",                                                                        \
         "file: netCDF-4 or HDF5 with h, and v1, v2 as a run writes them or the zonal and"         \
         " meridional wind, at the vertices of a cubed sphere or on latitudes and longitudes"      \
         " (config/README.md); relative to the case file")                                         \
    TEXT(initial, variable_h, "", "file: name of h; none: `h`")                                    \
    TEXT(initial, variable_u, "",                                                                  \
         "file: name of the zonal wind; none: `u`, or the standard name `eastward_wind`")          \
    TEXT(initial, variable_v, "",                                                                  \
         "file: name of the meridional wind; none: `v`, or the standard name `northward_wind`")    \
    TEXT(initial, time, "",                                                                        \
         "file: which of several times, a number on the time axis of the file; none: it has one")

#define SWE_CONFIG_bottom(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                               \
    TEXT(bottom, path, "",                                                                         \
         "nonlinear: netCDF-4 or HDF5 with the height of the bottom, on a grid as of"              \
         " initial.path; relative to the case file; none: the bottom of the case, or flat")        \
    TEXT(bottom, variable, "",                                                                     \
         "name of the height; none: `bottom`, `b`, `topography`, `orography`, or the standard"     \
         " name `surface_altitude`")                                                               \
    TEXT(bottom, time, "", "likewise initial.time, of the file at bottom.path")                    \
    TEXT(bottom, sha256, "",                                                                       \
         "of the file at bottom.path, which the run fills in; another file is refused")

#define SWE_CONFIG_time(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                                 \
    REAL(time, end, 1.0, 1e-12, 1e12, "s",                                                         \
         "model time at which the run ends; as each time in seconds, or as `5d`, `12h`, `30min`, " \
         "`1d12h`, `1-12:00:00`, `3:50:00`")                                                       \
    REAL(time, dt, 0.0, 0.0, 1e12, "s", "time step")                                               \
    REAL(time, dt_times_n, 0.0, 0.0, 1e12, "s", "time step times grid.n")                          \
    REAL(time, courant, 0.0, 0.0, 10.0, "",                                                        \
         "time step from the Courant number c dt / (a D), D the spacing, (pi/2)/n of equispaced "  \
         "points; set one of the three "                                                           \
         "keys (none: courant 0.2); a step from courant or dt_times_n is shortened until it "      \
         "divides time.end and all intervals; time.dt is used exactly, the last step is shorter "  \
         "if time.end needs it, and one that does not divide an interval is refused")

#define SWE_CONFIG_output(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                               \
    INTEGER(output, every, 0, 0, 1000000000, "steps",                                              \
            "steps between field files; 0: only the final state, which is always written")         \
    REAL(output, interval, 0.0, 0.0, 1e12, "s",                                                    \
         "model time between field files, in place of output.every; 0: off")                       \
    WORDS(output, fields, "h|wind|native", SWE_OUTPUT_WORDS, SWE_OUTPUT_MEANING)                   \
    INTEGER(output, compression, 1, 0, 9, "",                                                      \
            "deflate level of field files, their bytes shuffled, without loss; 0: none")           \
    CHOICE(output, precision, "double", "double|single",                                           \
           "of the numbers in field files; a run that starts from a `single` file does so from "   \
           "rounded values (checkpoints are never rounded)")

#define SWE_CONFIG_diagnostics(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                          \
    INTEGER(diagnostics, every, 0, 0, 1000000000, "steps",                                         \
            "steps between rows of diagnostics.csv; 0: only the first and the last")               \
    REAL(diagnostics, interval, 0.0, 0.0, 1e12, "s",                                               \
         "model time between rows, in place of diagnostics.every; 0: off")                         \
    REALS(diagnostics, sample_times, 0.0, 1e12, "s",                                               \
          "model times at which errors are sampled for their maximum (nearest step)")              \
    REAL(diagnostics, sample_interval, 0.0, 0.0, 1e12, "s",                                        \
         "errors are sampled at all multiples of this time, too; 0: off")                          \
    INTEGER(diagnostics, check_every, 100, 0, 1000000000, "steps",                                 \
            "steps between looks at the state, besides rows of diagnostics.csv, for values that "  \
            "are not finite, which end the run; 0: none")

#define SWE_CONFIG_checkpoint(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                           \
    INTEGER(checkpoint, every, 0, 0, 1000000000, "steps",                                          \
            "steps between checkpoints of `run`; 0: only at its end (checkpoint.final) and when a" \
            " signal or --max-walltime ends it, which always writes one")                          \
    REAL(checkpoint, interval, 0.0, 0.0, 1e12, "s",                                                \
         "model time between checkpoints, in place of checkpoint.every; 0: off")                   \
    CHOICE(checkpoint, final, "yes", "yes|no",                                                     \
           "whether `run` leaves a checkpoint of its end, from which it goes on when time.end is"  \
           " raised; h, v1, v2, as in a field file")                                               \
    INTEGER(checkpoint, keep, 2, 2, 1000000, "",                                                   \
            "whole checkpoints that are there at least before an older one is removed")            \
    CHOICE(checkpoint, writers, "auto", "auto|root|all",                                           \
           "on several ranks, those that write the state: `all` at once, each its rows; `root`, "  \
           "rank 0 for all; `auto`, all where they run on one machine, or on Lustre, GPFS, "       \
           "BeeGFS or CephFS, if they see the file")                                               \
    TEXT(checkpoint, dir, "",                                                                      \
         "folder of the checkpoints, relative to where the program runs; none: `checkpoints` in"   \
         " the folder of the results")

#define SWE_CONFIG_profile(REAL, INTEGER, CHOICE, TEXT, REALS, WORDS)                              \
    CHOICE(                                                                                        \
        profile, mode, "off", "off|trace|summary|nsys|counters|full",                              \
        "of `run` and `profile`; `trace`: traces, tables, memory and summary of each window of"    \
        " steps; `summary`: no traces; `nsys`: record nothing, bracket the windows for nsys "      \
        "or ncu; `counters`: GPU: count memory traffic and FP64 operations by stage, in place "    \
        "of a trace; `full`: `trace`, and on a GPU these counters of the first four steps, on a "  \
        "CPU those of its threads")                                                                \
    TEXT(profile, dir, "",                                                                         \
         "folder of the profiles, one step_<step> a window, relative to where the program runs;"   \
         " none: `profile` in the folder of the results")                                          \
    INTEGER(profile, start_step, -1, -1, 1000000000000, "steps",                                   \
            "warm-up before the first window; -1: 10, on a GPU 50")                                \
    INTEGER(profile, duration, 0, 0, 1000000, "steps",                                             \
            "length of a window; 0: 3, with parts 200, on a GPU 20 (mode counters: 3), at most"    \
            " interval")                                                                           \
    INTEGER(profile, interval, 0, 0, 1000000000000, "steps",                                       \
            "from the start of a window to that of the next; 0: one window")                       \
    INTEGER(profile, max_events, 1000000, 1000, 100000000, "",                                     \
            "most regions, GPU records and samples of code that a window keeps; what is beyond is" \
            " counted")                                                                            \
    CHOICE(profile, launch, "graph", "graph|eager",                                                \
           "GPU: steps of a window run as in a run, most of them as CUDA graphs, or stage by "     \
           "stage on one stream, so that every stage has its own time on the host. Windows of "    \
           "several ranks are stage by stage")                                                     \
    CHOICE(profile, counters, "auto", "auto|on|off",                                               \
           "CPU: count instructions, cycles, cache misses, context switches and time on a core of" \
           " every thread in every stage, at some microseconds each; `auto`: in mode `full`, and"  \
           " where the cores have counters, which virtual machines often do not")                  \
    CHOICE(profile, parts, "off", "off|on",                                                        \
           "sample what code of a sweep runs: on a CPU of every thread, some 500 times a second,"  \
           " so that a window needs hundreds of steps; on a GPU in place of its trace")            \
    INTEGER(                                                                                       \
        profile, sampling, 0, 0, 1000000, "us",                                                    \
        "GPU: in windows of modes `trace`, `summary` and `full`, from one sample of its"           \
        " counters (activity of multiprocessors and FP64 units, memory traffic, hits in L2) to"    \
        " the next; 0: none")                                                                      \
    WORDS(profile, traces, "perfetto|xplane", "perfetto|xplane|json",                              \
          "trace files of modes `trace` and `full`: for ui.perfetto.dev, for TensorBoard and"      \
          " XProf, and as gzipped JSON")

#endif
