/* A row: KEY(section, name), the default, then RANGE(least, most, unit) of numbers, WORDS("a|b|c")
 * of a choice or a list of words, or TEXT, and the meaning. The member of swe_config gives the
 * type. An entry of `tracers` has the keys TRACER and, in its map `initial`, TRACER_INITIAL. */
#include "config/keys.h"

#include <stdio.h>
#include <string.h>

#include "fields/outputs.h"

#define TYPE_OF(member)                                                                            \
    _Generic((member), double: SWE_KEY_REAL, long: SWE_KEY_INTEGER, int: SWE_KEY_CHOICE,           \
             char *: SWE_KEY_TEXT, swe_reals: SWE_KEY_REALS, swe_words: SWE_KEY_WORDS)
#define MEMBER(path, type, member) path, TYPE_OF(((type *)0)->member), offsetof(type, member)
#define KEY(section, name)         MEMBER(#section "." #name, swe_config, section.name)
#define TRACER(name)               MEMBER("tracers[]." #name, struct swe_config_tracers, name)
#define TRACER_INITIAL(name)                                                                       \
    MEMBER("tracers[].initial." #name, struct swe_config_tracers, initial.name)
#define RANGE(least, most, unit) #least " to " #most, least, most, unit
#define WORDS(words)             words, 0.0, 0.0, ""
#define TEXT                     "", 0.0, 0.0, ""

const swe_key swe_keys[] = {
    {KEY(grid, n), "96", RANGE(4, 16384, "cells"),
     "cells along a panel side; at least 4, 9, 13 at orders 2, 4, 6, with dissipation 4, 13, 15; "
     "equispaced 4, 7, 11"},
    {KEY(grid, order), "4", RANGE(2, 6, ""), "order of the operators in the interior: 2, 4 or 6"},
    {KEY(grid, closure), "moved", WORDS("moved|equispaced|published"),
     "operators near panel edges: `moved` (orders 4 and 6), the first points of a line at places "
     "of least error; `equispaced`, called `default` in earlier versions; `published` (order 4), "
     "the interpolation of arXiv 2501.07323"},
    {KEY(scheme, pipeline), "fused", WORDS("fused|staged"),
     "how a step is computed, with equal results up to rounding: in sweeps over the state, or "
     "stage by stage with arrays between the stages"},
    {KEY(scheme, time), "rk4", WORDS("rk4|leapfrog4"),
     "time step: classical Runge-Kutta, or leapfrog of order 4, which has half the work of a "
     "step, a sixth of its error and Courant numbers of up to 1.22 times as much; `leapfrog4` is "
     "for linear flows without rotation and forcing, on CPUs"},
    {KEY(scheme, precision), "double", WORDS("double|single"),
     "of the state and of every step; `single`: half the memory and traffic, errors that stop "
     "falling near 1e-6 (validation/results/precision.md); grid and diagnostics are always "
     "double, files have output.precision"},
    {KEY(scheme, limiter), "none", WORDS("none|monotone|bounds"),
     "of tracers, keeps their mass: `monotone`, each value between the values that neighbours had "
     "before the step; `bounds`, between least and greatest of the tracer; for Courant numbers of "
     "the flow up to 0.3"},
    {KEY(scheme, edge_damping), "-1.0", RANGE(-1.0, 1.0, ""),
     "sigma of the damping of jumps of the normal flux at panel edges, once a step; negative: "
     "none in the linear model, 0.1 in the nonlinear one; the number is written"},
    {KEY(scheme, dissipation), "-1.0", RANGE(-1.0, 4.0, ""),
     "epsilon of the dissipation of the shortest waves within panels, once a step; negative: "
     "none in the linear model, in the nonlinear one 0.1, 2, 3.75 at orders 2, 4, 6; with other "
     "closures than `moved` 0.1, 0.5, 2"},
    {KEY(physics, model), "linear", WORDS("linear|nonlinear|prescribed"),
     "equations: `linear`, about a layer at rest, h the height above it; `nonlinear`, "
     "vector-invariant, h the depth of the fluid; `prescribed`, the velocity of the case, which "
     "advects tracers, while h stays"},
    {KEY(physics, gravity), "1.0", RANGE(1e-12, 1e12, "m s-2"), "gravity g"},
    {KEY(physics, depth), "1.0", RANGE(1e-12, 1e12, "m"),
     "mean depth H0; nonlinear: a typical depth, for Courant numbers"},
    {KEY(physics, radius), "1.0", RANGE(1e-12, 1e12, "m"), "radius a of the sphere"},
    {KEY(physics, rotation), "0.0", RANGE(-1e12, 1e12, "s-1"), "rotation rate Omega of the sphere"},
    {KEY(physics, axis_lon), "0.0", RANGE(-360.0, 360.0, "degree"),
     "longitude of the axis of rotation"},
    {KEY(physics, axis_lat), "90.0", RANGE(-90.0, 90.0, "degree"),
     "latitude of the axis of rotation"},
    {KEY(forcing, path), "", TEXT,
     "netCDF-4 or HDF5 with the fields that the terms below name, on a grid as of initial.path; "
     "relative to the case file"},
    {KEY(forcing, time), "", TEXT, "likewise initial.time, of the file at forcing.path"},
    {KEY(forcing, interval), "0.0", RANGE(0.0, 1e12, "s"),
     "time between records of that file, a whole number of time steps: its fields change linearly "
     "from a record to the next; t = 0 has the record of forcing.time, or the first; 0: one "
     "record"},
    {KEY(forcing, periodic), "no", WORDS("yes|no"),
     "after the last record the first follows; no: the last stays"},
    {KEY(forcing, sha256), "", TEXT,
     "of the file at forcing.path, which the run fills in; another file is refused"},
    {KEY(forcing.drag, rate), "0.0", RANGE(0.0, 1e12, "s-1"), "r of the linear drag -r v"},
    {KEY(forcing.drag, factor), "", TEXT,
     "name of a factor of r, 0 to 1, in the file at forcing.path, at one time; none: 1"},
    {KEY(forcing.drag, coefficient), "0.0", RANGE(0.0, 1e12, ""),
     "c of the quadratic drag -c |u| v/h of nonlinear flows"},
    {KEY(forcing.viscosity, coefficient), "0.0", RANGE(0.0, 1e40, ""),
     "nu of the viscosity nu lap v [m2 s-1], or of order 4 -nu lap lap v [m4 s-1]; lap is of the "
     "vector; nonlinear flows: (1/h) div(h grad) in place of lap"},
    {KEY(forcing.viscosity, order), "2", RANGE(2, 4, ""), "order of the derivatives: 2 or 4"},
    {KEY(forcing.viscosity, h), "no", WORDS("yes|no"),
     "whether h changes likewise: nu lap h; nonlinear flows: of h + bottom"},
    {KEY(forcing.viscosity, tracers), "no", WORDS("yes|no"),
     "whether the concentrations c of tracers change likewise: nu (1/h) div(h grad c)"},
    {KEY(forcing.relaxation, time), "0.0", RANGE(0.0, 1e12, "s"),
     "T of the relaxation (h* - h)/T of h; 0: none"},
    {KEY(forcing.relaxation, to), "", TEXT,
     "name of h* [m] in the file at forcing.path; none: h of the case at t = 0"},
    {KEY(forcing.mass, source), "", TEXT,
     "name of the source of h [m s-1] in that file; none: no source"},
    {KEY(forcing.wind_stress, u), "", TEXT,
     "name of the zonal stress tau [N m-2] in that file; v changes by tau/(density d), d the "
     "depth, "
     "of linear flows physics.depth; none: no stress"},
    {KEY(forcing.wind_stress, v), "", TEXT, "likewise of the meridional stress"},
    {KEY(forcing.wind_stress, density), "1000.0", RANGE(1e-12, 1e12, "kg m-3"),
     "density of the fluid"},
    {KEY(forcing.stirring, rate), "0.0", RANGE(0.0, 1e12, "m2 s-3"),
     "energy for each mass and time that random accelerations without divergence give to v, on the "
     "average; 0: none"},
    {KEY(forcing.stirring, interval), "0.0", RANGE(0.0, 1e12, "s"),
     "time for which an acceleration stays; a whole number of time steps"},
    {KEY(forcing.stirring, least_degree), "1", RANGE(1, 100000, ""),
     "least degree of their spherical harmonics"},
    {KEY(forcing.stirring, greatest_degree), "1", RANGE(1, 100000, ""),
     "greatest degree, at most n"},
    {KEY(forcing.stirring, seed), "0", RANGE(0, 1000000000, ""), "of the random numbers"},
    {KEY(initial, kind), "gaussian",
     WORDS("gaussian|standing_wave|geostrophic|hough|matsuno|williamson2|williamson5|williamson6|"
           "galewsky|laeuter|lake_at_rest|williamson1|deformation|file"),
     "the case (`solver/cases/`), laid out about the axis of rotation, or the fields of a file"},
    {KEY(initial, lon), "0.0", RANGE(-360.0, 360.0, "degree"),
     "gaussian, standing_wave, lake_at_rest: longitude of pulse, wave axis or mountain"},
    {KEY(initial, lat), "90.0", RANGE(-90.0, 90.0, "degree"), "likewise the latitude"},
    {KEY(initial, amplitude), "0.01", RANGE(-1e12, 1e12, "m"),
     "amplitude A of the pulse, wave or mountain; of matsuno the velocity's, in m s-1"},
    {KEY(initial, width), "0.18", RANGE(1e-3, 0.3, "rad2"),
     "gaussian, lake_at_rest: A exp(-theta^2 / width), theta the angle from the centre in "
     "radians"},
    {KEY(initial, degree), "3", RANGE(1, 1000, ""), "standing_wave: degree l of Re[(e . r)^l]"},
    {KEY(initial, angle), "0.0", RANGE(-360.0, 360.0, "degree"),
     "standing_wave: rotation about its axis; laeuter: alpha, the angle between flow and "
     "rotation"},
    {KEY(initial, period), "1036800.0", RANGE(1e-12, 1e12, "s"),
     "geostrophic, williamson1, williamson2, laeuter: time in which the flow goes around once; its "
     "speed is 2 pi a / period; deformation: time after which tracers are what they were"},
    {KEY(initial, wavenumber), "4", RANGE(0, 100, ""),
     "hough, matsuno, williamson6: zonal wavenumber"},
    {KEY(initial, mode), "1", RANGE(0, 100, ""),
     "hough, matsuno: meridional mode; of hough 0 is the Kelvin wave (eastward) and the mixed "
     "Rossby-gravity wave (rossby); deformation: the flow, 1 to 4"},
    {KEY(initial, wave), "rossby", WORDS("rossby|eastward|westward"),
     "hough, matsuno: Rossby wave, or eastward or westward inertia-gravity wave"},
    {KEY(initial, perturbation), "yes", WORDS("yes|no"), "galewsky: whether the jet is disturbed"},
    {KEY(initial, path), "", TEXT,
     "file: netCDF-4 or HDF5 with h, and v1, v2 as a run writes them or the zonal and meridional "
     "wind, at the vertices of a cubed sphere or on latitudes and longitudes (config/README.md); "
     "relative to the case file"},
    {KEY(initial, variable_h), "", TEXT, "file: name of h; none: `h`"},
    {KEY(initial, variable_u), "", TEXT,
     "file: name of the zonal wind; none: `u`, or the standard name `eastward_wind`"},
    {KEY(initial, variable_v), "", TEXT,
     "file: name of the meridional wind; none: `v`, or the standard name `northward_wind`"},
    {KEY(initial, time), "", TEXT,
     "file: which of several times, a number on the time axis of the file; none: it has one"},
    {KEY(bottom, path), "", TEXT,
     "nonlinear: netCDF-4 or HDF5 with the height of the bottom, on a grid as of initial.path; "
     "relative to the case file; none: the bottom of the case, or flat"},
    {KEY(bottom, variable), "", TEXT,
     "name of the height; none: `bottom`, `b`, `topography`, `orography`, or the standard name "
     "`surface_altitude`"},
    {KEY(bottom, time), "", TEXT, "likewise initial.time, of the file at bottom.path"},
    {KEY(bottom, sha256), "", TEXT,
     "of the file at bottom.path, which the run fills in; another file is refused"},
    {KEY(start, state), "", TEXT,
     "name of the state of a checkpoint by a program (libcubeswe) from which the run starts in "
     "place "
     "of its initial state; --restart fills it in"},
    {KEY(time, end), "1.0", RANGE(1e-12, 1e12, "s"),
     "model time at which the run ends; as each time in seconds, or as `5d`, `12h`, `30min`, "
     "`1d12h`, `1-12:00:00`, `3:50:00`"},
    {KEY(time, dt), "0.0", RANGE(0.0, 1e12, "s"), "time step"},
    {KEY(time, dt_times_n), "0.0", RANGE(0.0, 1e12, "s"), "time step times grid.n"},
    {KEY(time, courant), "0.0", RANGE(0.0, 10.0, ""),
     "time step from the Courant number c dt / (a D), D the spacing, (pi/2)/n of equispaced "
     "points; set one of the three keys (none: courant 0.2); a step from courant or dt_times_n "
     "is shortened until it divides time.end and all intervals; time.dt is used exactly, the "
     "last step is shorter if time.end needs it, and one that does not divide an interval is "
     "refused"},
    {KEY(parallel, blocks_1), "1", RANGE(1, 1024, ""),
     "blocks along xi1 that each panel is cut into, with memory of their own; results do not "
     "depend on it. 1 and 1: on several ranks, as many as they need"},
    {KEY(parallel, blocks_2), "1", RANGE(1, 1024, ""), "likewise along xi2"},
    {KEY(parallel, transport), "auto", WORDS("auto|mpi|nccl|ipc"),
     "messages between the GPUs of several ranks: `mpi`, through host memory; `nccl`, by "
     "NVIDIA's library (libnccl.so.2, 2.13 or later); `ipc`, copied between the GPUs of one "
     "machine by CUDA IPC; `auto`, the fastest of those that work"},
    {KEY(output, every), "0", RANGE(0, 1000000000, "steps"),
     "steps between field files; 0: only the final state, which is always written"},
    {KEY(output, interval), "0.0", RANGE(0.0, 1e12, "s"),
     "model time between field files, in place of output.every; 0: off"},
    {KEY(output, fields), "h|wind|native", WORDS(SWE_OUTPUT_WORDS), SWE_OUTPUT_MEANING},
    {KEY(output, compression), "1", RANGE(0, 9, ""),
     "deflate level of field files, their bytes shuffled, without loss; 0: none"},
    {KEY(output, precision), "double", WORDS("double|single"),
     "of the numbers in field files; a run that starts from a `single` file does so from rounded "
     "values (checkpoints are never rounded)"},
    {KEY(diagnostics, every), "0", RANGE(0, 1000000000, "steps"),
     "steps between rows of diagnostics.csv; 0: only the first and the last"},
    {KEY(diagnostics, interval), "0.0", RANGE(0.0, 1e12, "s"),
     "model time between rows, in place of diagnostics.every; 0: off"},
    {KEY(diagnostics, sample_times), "[]", RANGE(0.0, 1e12, "s"),
     "model times at which errors are sampled for their maximum (nearest step)"},
    {KEY(diagnostics, sample_interval), "0.0", RANGE(0.0, 1e12, "s"),
     "errors are sampled at all multiples of this time, too; 0: off"},
    {KEY(diagnostics, check_every), "100", RANGE(0, 1000000000, "steps"),
     "steps between looks at the state, besides rows of diagnostics.csv, for values that are not "
     "finite, which end the run; 0: none"},
    {KEY(checkpoint, every), "0", RANGE(0, 1000000000, "steps"),
     "steps between checkpoints of `run`; 0: only at its end (checkpoint.final) and when a "
     "signal or --max-walltime ends it, which always writes one"},
    {KEY(checkpoint, interval), "0.0", RANGE(0.0, 1e12, "s"),
     "model time between checkpoints, in place of checkpoint.every; 0: off"},
    {KEY(checkpoint, final), "yes", WORDS("yes|no"),
     "whether `run` leaves a checkpoint of its end, from which it goes on when time.end is "
     "raised; h, v1, v2, as in a field file"},
    {KEY(checkpoint, keep), "2", RANGE(2, 1000000, ""),
     "whole checkpoints that are there at least before an older one is removed"},
    {KEY(checkpoint, writers), "auto", WORDS("auto|root|all"),
     "on several ranks, those that write the state: `all` at once, each its rows; `root`, rank 0 "
     "for all; `auto`, all where they run on one machine, or on Lustre, GPFS, BeeGFS or CephFS, "
     "if they see the file"},
    {KEY(checkpoint, dir), "", TEXT,
     "folder of the checkpoints, relative to where the program runs; none: `checkpoints` in the "
     "folder of the results"},
    {KEY(profile, mode), "off", WORDS("off|trace|summary|nsys|counters|full"),
     "of `run` and `profile`; `trace`: traces, tables, memory and summary of each window of "
     "steps; `summary`: no traces; `nsys`: record nothing, bracket the windows for nsys or ncu; "
     "`counters`: GPU: count memory traffic and FP64 operations by stage, in place of a trace; "
     "`full`: `trace`, and on a GPU these counters of the first four steps, on a CPU the "
     "counters of its threads"},
    {KEY(profile, dir), "", TEXT,
     "folder of the profiles, one step_<step> a window, relative to where the program runs; "
     "none: `profile` in the folder of the results"},
    {KEY(profile, start_step), "-1", RANGE(-1, 1000000000000, "steps"),
     "warm-up before the first window; -1: 10, on a GPU 50"},
    {KEY(profile, duration), "0", RANGE(0, 1000000, "steps"),
     "length of a window; 0: 3, with parts 200, on a GPU 20 (mode counters: 3), at most interval"},
    {KEY(profile, interval), "0", RANGE(0, 1000000000000, "steps"),
     "from the start of a window to the start of the next; 0: one window"},
    {KEY(profile, max_events), "1000000", RANGE(1000, 100000000, ""),
     "most regions, GPU records and samples of code that a window keeps; what is beyond is "
     "counted"},
    {KEY(profile, launch), "graph", WORDS("graph|eager"),
     "GPU: steps of a window run as in a run, most of them as CUDA graphs, or stage by stage on "
     "one stream, so that every stage has its own time on the host. Windows of several ranks are "
     "stage by stage"},
    {KEY(profile, counters), "auto", WORDS("auto|on|off"),
     "CPU: count instructions, cycles, cache misses, context switches and time on a core of "
     "every thread in every stage, at some microseconds each; `auto`: in mode `full`, and where "
     "the cores have counters, which virtual machines often do not"},
    {KEY(profile, parts), "off", WORDS("off|on"),
     "sample what code of a sweep runs: on a CPU of every thread, some 500 times a second, so "
     "that a window needs hundreds of steps; on a GPU in place of its trace"},
    {KEY(profile, sampling), "0", RANGE(0, 1000000, "us"),
     "GPU: in windows of modes `trace`, `summary` and `full`, from one sample of its counters "
     "(activity of multiprocessors and FP64 units, memory traffic, hits in L2) to the next; 0: "
     "none"},
    {KEY(profile, traces), "perfetto|xplane", WORDS("perfetto|xplane|json"),
     "trace files of modes `trace` and `full`: for ui.perfetto.dev, for TensorBoard and XProf, "
     "and as gzipped JSON"},
    {TRACER(name), "", TEXT,
     "nonlinear, prescribed: of a passive tracer that the flow advects, in any number; its "
     "concentration in "
     "field files, `<name>_mass`, `<name>_min` and `<name>_max` in diagnostics.csv"},
    {TRACER(least), "0.0", RANGE(-1e12, 1e12, ""),
     "for scheme.limiter bounds: its least concentration"},
    {TRACER(greatest), "1e12", RANGE(-1e12, 1e12, ""), "likewise its greatest"},
    {TRACER(decay), "0.0", RANGE(0.0, 1e12, "s-1"), "rate lambda of dc/dt = ... - lambda c"},
    {TRACER(source), "0.0", RANGE(-1e12, 1e12, "s-1"),
     "rate at which c grows everywhere; 1: c is an age, with decay lambda it tends to "
     "source/lambda"},
    {TRACER_INITIAL(kind), "constant", WORDS("constant|gaussian|cosine_bell|slotted_cylinder|file"),
     "concentration at the start (formulas: `solver/run/tracers.c`)"},
    {TRACER_INITIAL(lon), "0.0", RANGE(-360.0, 360.0, "degree"), "longitude of the centre"},
    {TRACER_INITIAL(lat), "0.0", RANGE(-90.0, 90.0, "degree"), "latitude of the centre"},
    {TRACER_INITIAL(apart_lon), "0.0", RANGE(-360.0, 360.0, "degree"),
     "longitude from the centre to a second centre of the same shape"},
    {TRACER_INITIAL(apart_lat), "0.0", RANGE(-180.0, 180.0, "degree"),
     "likewise latitude; both 0: there is none"},
    {TRACER_INITIAL(radius), "0.3333333333333333", RANGE(1e-3, 3.2, "rad"),
     "of the bell or cylinder; gaussian: distance at which it has fallen to 1/e"},
    {TRACER_INITIAL(amplitude), "1.0", RANGE(-1e12, 1e12, ""),
     "above the background; constant: the concentration"},
    {TRACER_INITIAL(background), "0.0", RANGE(-1e12, 1e12, ""),
     "concentration far from the centre"},
    {TRACER_INITIAL(path), "", TEXT,
     "file: netCDF-4 or HDF5, on a grid as of initial.path; relative to the case file"},
    {TRACER_INITIAL(variable), "", TEXT, "file: name of the concentration; none: the tracer's"},
    {TRACER_INITIAL(time), "", TEXT, "file: likewise initial.time"},
    {.path = NULL}};

enum { KEYS = sizeof swe_keys / sizeof swe_keys[0] - 1 };

const char *swe_key_name(const swe_key *key)
{
    return strrchr(key->path, '.') + 1;
}

bool swe_key_is_of_list(const swe_key *key)
{
    return strchr(key->path, '[') != NULL;
}

bool swe_key_is_path(const swe_key *key)
{
    const char *name = swe_key_name(key);
    return strcmp(name, "path") == 0 || strcmp(name, "dir") == 0;
}

const char *swe_key_word(const char *words, int k, int *length)
{
    for (; k > 0 && words != NULL; k--) {
        words = strchr(words, '|');
        words = words != NULL ? words + 1 : NULL;
    }
    *length = words != NULL ? (int)strcspn(words, "|") : 0;
    return words;
}

swe_value swe_value_of(const swe_config *config, const swe_key *key, unsigned entry)
{
    char *base = swe_key_is_of_list(key) ? (char *)&config->tracers.item[entry] : (char *)config;
    return (swe_value){key, entry, base + key->offset};
}

bool swe_value_next(const swe_config *config, swe_value *value)
{
    const swe_key *key = value->key == NULL ? swe_keys : value->key + 1;
    unsigned entry = value->entry;
    if (key == &swe_keys[KEYS]) { /* the keys of the list, which end the table, once more */
        entry++;
        for (key = swe_keys; !swe_key_is_of_list(key);)
            key++;
    }
    if (swe_key_is_of_list(key) && entry >= config->tracers.count)
        return false;
    *value = swe_value_of(config, key, entry);
    return true;
}

const char *swe_value_path(const swe_value *value, char path[SWE_VALUE_PATH])
{
    const char *given = value->key->path;
    const int list = (int)strcspn(given, "[");
    if (given[list] == '\0')
        snprintf(path, SWE_VALUE_PATH, "%s", given);
    else
        snprintf(path, SWE_VALUE_PATH, "%.*s[%u]%s", list, given, value->entry, given + list + 2);
    return path;
}
