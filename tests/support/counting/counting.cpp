/// Every stage of both backends, compiled with numbers that count.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage" // nobody calls those functions
#endif

#ifdef __clang__ /* the CPU's sources are C, whose designators C++ has only later */
#pragma clang diagnostic ignored "-Wc++20-designator"
#endif
#include "support/counting/counted.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <omp.h>

std::vector<Counted> Counted::memory;
Counted::Tally *Counted::tally;
bool Counted::values_differ;

namespace
{

/// Counts of a kernel; or of a stage on the CPU, which has none.
struct Launch {
    const char *kernel;
    int block_threads;
    Counted::Tally tally;
};
std::vector<Launch> launches;

/// Whether viscosity is counted: kernels of the stages that it calls belong to its first kernel.
bool is_viscosity;
/// Whether the limiter is counted, which launches a kernel twice.
bool is_limiter;

const char *viscous_kernel(const char *kernel)
{
    for (const char *own : {"viscous_force_kernel", "viscous_add_kernel"})
        if (std::strstr(kernel, own) != nullptr)
            return own;
    return "viscous_flow_kernel";
}

void begin(const char *kernel, dim3 block)
{
    const std::vector<bool> none(Counted::memory.size());
    const int threads = static_cast<int>(block.x * block.y * block.z);
    if (is_viscosity || is_limiter) {
        kernel = is_viscosity ? viscous_kernel(kernel) : kernel;
        for (Launch &launch : launches)
            if (std::strcmp(launch.kernel, kernel) == 0) {
                Counted::tally = &launch.tally;
                return;
            }
    }
    launches.push_back({kernel, threads, {{}, 0, none, none, none}});
    Counted::tally = &launches.back().tally;
}

} // namespace

#undef SWE_LAUNCH
#define SWE_LAUNCH(kernel, grid, block, ...)                                                       \
    (begin(#kernel, block), cuda_emulation::launch(#kernel, kernel, grid, block, __VA_ARGS__))

// From here on, doubles count.
#define double Counted
#include "fields/fields.h"
#include "stages/exchange_cpu.c"
#include "stages/exchange_cuda.cu"
#include "stages/bernoulli/bernoulli_cpu.c"
#include "stages/bernoulli/bernoulli_cuda.cu"
#include "stages/integrals/integrals_cpu.c"
#include "stages/integrals/integrals_cuda.cu"
#include "stages/contravariant/contravariant_cpu.c"
#include "stages/contravariant/contravariant_cuda.cu"
#include "stages/coriolis/coriolis_cpu.c"
#include "stages/coriolis/coriolis_cuda.cu"
#include "stages/damping/damping_cpu.c"
#include "stages/damping/damping_cuda.cu"
#include "stages/dissipation/dissipation_cpu.c"
#include "stages/dissipation/dissipation_cuda.cu"
#include "stages/divergence/divergence_cpu.c"
#include "stages/divergence/divergence_cuda.cu"
#include "stages/forcing/forcing_cpu.c"
#include "stages/forcing/forcing_cuda.cu"
#include "sweeps/fused/fused_cpu.c"
#include "sweeps/fused/fused_cuda.cu"
#include "stages/gradient/gradient_cpu.c"
#include "stages/gradient/gradient_cuda.cu"
#include "stages/flux_projection/flux_projection_cpu.c"
#include "stages/flux_projection/flux_projection_cuda.cu"
#include "sweeps/momentum/momentum_cpu.c"
#include "sweeps/momentum/momentum_cuda.cu"
#include "stages/projection/projection_cpu.c"
#include "stages/projection/projection_cuda.cu"
#include "stages/rk4/rk4_cpu.c"
#include "stages/rk4/rk4_cuda.cu"
#include "stages/sat/sat_cpu.c"
#include "stages/sat/sat_cuda.cu"
#include "stages/wind/wind_cpu.c"
#include "stages/wind/wind_cuda.cu"
#include "stages/viscosity/viscosity_cpu.c"
#include "stages/viscosity/viscosity_cuda.cu"
#define swe_projection_cpu(execution, params, field)  ((void)(field)) // not part of its cost
#define swe_projection_cuda(execution, params, field) ((void)(field))
#include "stages/limiter/limiter_cpu.c"
#include "stages/limiter/limiter_cuda.cu"
#undef swe_projection_cpu
#undef swe_projection_cuda
#include "stages/tracer/tracer_cpu.c"
#include "stages/tracer/tracer_cuda.cu"
#include "sweeps/transport/transport_cpu.c"
#include "sweeps/transport/transport_cuda.cu"
#include "stages/vorticity/vorticity_cpu.c"
#include "stages/vorticity/vorticity_cuda.cu"
#include "backend/cpu/table_cpu.c"
#include "backend/cuda/table_cuda.cu"

namespace
{

/// An array: its values, and where they are in the memory.
struct Array {
    const char *name;
    int rows, columns; ///< Of values, on each panel.
    ptrdiff_t pitch, panel, size, begin;
    bool is_double; ///< In both precisions.

    bool is_value(ptrdiff_t at) const
    {
        const ptrdiff_t inside = at % panel;
        return inside / pitch < rows && inside % pitch < columns;
    }
};

/// The arrays of a model, one after the other: a state's are as they have to be.
class Arrays
{
  public:
    explicit Arrays(const swe_layout &layout) : layout_(layout)
    {
        const int n = layout.n, side = n + 1;
        const ptrdiff_t one = layout.panel, six = layout.field;
        for (const auto &state : states) {
            add_field(state[0], side, side, six);
            add_field(state[1], side, n, six);
            add_field(state[2], n, side, six);
            add_field(state[3], side, side, six);
        }
        for (const char *name :
             {"h1", "h2", "mean", "cross1", "cross2", "mean1", "mean2", "vorticity", "head", "b",
              "f", "W1", "W2", "x1", "x2", "x3", "z1", "z2"})
            add_field(name, side, side, six);
        add_field("before", side, side, six);
        add_field("Q1", side, n, six);
        add_field("Q2", n, side, six);
        add_field("M1", side, n, six);
        add_field("M2", n, side, six);
        add_field("in", side, side, six);
        add_field("out", side, side, six);
        add_field("velocity", side, side, six); // of the stage wind, with unused values of h
        add_field("velocity1", side, n, six);
        add_field("velocity2", n, side, six);
        add_field("flux", side, side, six);
        add_field("flux1", side, n, six);
        add_field("flux2", n, side, six);
        add_field("target", side, side, six);
        add_field("source", side, side, six);
        add_field("stress1", side, n, six);
        add_field("stress2", n, side, six);
        add_field("F1", side, n, six);
        add_field("F2", n, side, six);
        add_field("slope1", side, n, six);
        add_field("slope2", n, side, six);
        add_field("shear1", side, n, six);
        add_field("shear2", n, side, six);
        add_field("1/J", side, side, one);
        add_field("J g^11", side, n, one);
        add_field("J g^12", side, side, one);
        add_field("J g^22", n, side, one);
        add_table("edge", SWE_EDGES, side);
        add_table("changes", SWE_EDGES, side);
        add_table("edge_vorticity", SWE_PANELS * SWE_SIDES, side);
        add_table("tangents", 1, side);
        add_table("norms", 1, side + n, true);
        add_table("integrals", SWE_PANELS * side, INTEGRALS_VALUES, true);
        fill();
    }

    /// The first value of an array.
    Counted *operator[](const char *name) const
    {
        for (const Array &array : arrays_)
            if (std::strcmp(array.name, name) == 0)
                return &Counted::memory[static_cast<size_t>(array.begin)];
        std::fprintf(stderr, "counting: no array '%s'\n", name);
        std::abort();
    }

    /// Report the counts of all arrays.
    void report(const Counted::Tally &tally, counting_buffer *out) const
    {
        for (const Array &array : arrays_) {
            const bool is_next = std::strncmp(array.name, "next ", 5) == 0;
            *out = {array.name + (is_next ? 5 : 0), array.is_double, 0, 0, 0, 0};
            for (ptrdiff_t at = 0; at < array.size; at++) {
                const auto place = static_cast<size_t>(array.begin + at);
                const bool value = array.is_value(at), read = tally.read[place];
                (value ? out->read : out->padding_read) += read;
                (value ? out->written : out->padding_written) += tally.written[place];
            }
            out++;
        }
    }

  private:
    static constexpr const char *states[][4] = {{"h", "v1", "v2", "q"},
                                                {"dh", "dv1", "dv2", "dq"},
                                                {"next h", "next v1", "next v2", "next q"},
                                                {"next h", "next v1", "next v2", "next q"},
                                                {"next h", "next v1", "next v2", "next q"}};

    void add(Array array)
    {
        if (arrays_.size() == COUNTING_BUFFERS) {
            std::fprintf(stderr, "counting: more than %d arrays\n", COUNTING_BUFFERS);
            std::abort();
        }
        array.begin = end_;
        end_ += array.size;
        arrays_.push_back(array);
    }
    void add_field(const char *name, int rows, int columns, ptrdiff_t size)
    {
        add({name, rows, columns, layout_.pitch, layout_.panel, size, 0, false});
    }
    /// Without padding.
    void add_table(const char *name, int rows, int columns, bool is_double = false)
    {
        const ptrdiff_t size = static_cast<ptrdiff_t>(rows) * columns;
        add({name, rows, columns, columns, size, size, 0, is_double});
    }
    /// No two values are alike, as then a cube vertex would have no mean to compute.
    void fill()
    {
        Counted::memory = std::vector<Counted>(static_cast<size_t>(end_));
        for (const Array &array : arrays_)
            for (ptrdiff_t at = 0; at < array.size; at++)
                Counted::set(static_cast<size_t>(array.begin + at),
                             1.0 + static_cast<number>(array.begin + at),
                             array.is_value(at) ? Counted::VALUE : Counted::PADDING);
    }

    swe_layout layout_;
    std::vector<Array> arrays_;
    ptrdiff_t end_ = 0;
};

/// The counts do not depend on the values of the constants and of the operators' weights. The
/// closure is the widest of the order, the dissipation of the default one.
swe_params params_of(const Arrays &arrays, const swe_layout &layout, int order, swe_flow flow)
{
    swe_params params = {};
    params.layout = layout;
    params.fields = SWE_FLOW_FIELDS;
    params.next = (SWE_FLOW_FIELDS + 1) * layout.field; // q of a tracer follows
    params.sbp.order = order;
    params.sbp.degree = order / 2 + 1;
    params.sbp.vertex_rows = sbp_vertex_rows(order);
    params.sbp.cell_rows = sbp_cell_rows(order);
    for (Counted &weight : params.sbp.hv)
        weight = 1.0;
    for (Counted &weight : params.sbp.hc)
        weight = 1.0;
    for (auto &column : params.sbp.pcv) // so that what meets at a cube vertex is not all 0
        for (Counted &weight : column)
            weight = 1.0;
    for (auto &column : params.sbp.pvc)
        for (Counted &weight : column)
            weight = 1.0;
    for (auto &column : params.sbp.spread)
        for (Counted &weight : column)
            weight = 1.0;
    params.physics.equations = flow == SWE_FLOW_NONLINEAR ? SWE_NONLINEAR : SWE_LINEAR;
    params.physics.rotation = flow != SWE_FLOW_NONROTATING;
    swe_topology_create(&params.topology);
    params.inverse_spacing = params.radius = params.gravity = params.inverse_gravity =
        params.depth = 1.0;
    params.norm_vertex = arrays["norms"];
    params.norm_cell = params.norm_vertex + layout.n + 1;
    params.tan_vertex = arrays["tangents"];
    params.inverse_jacobian = arrays["1/J"];
    params.metric11 = arrays["J g^11"];
    params.metric12 = arrays["J g^12"];
    params.metric22 = arrays["J g^22"];
    params.bottom = arrays["b"];
    params.coriolis = arrays["f"];
    params.target = arrays["target"];
    params.source = arrays["source"];
    params.wind = arrays["velocity"];
    params.physics.wind.terms = 1;
    params.physics.density = 1.0;
    params.physics.viscosity = flow == SWE_FLOW_NONROTATING ? 0.0 : 1.0;
    params.physics.viscosity_order = 2;
    params.tile_columns = CPU_TILE_I_SMALL;
    return params;
}

/// A field that is projected; of linear equations the staged pipeline projects two, each twice.
const char *projected(const counting_case &c)
{
    static const char *const fields[] = {"h", "dh", "head", "vorticity"};
    return fields[c.projects_h ? 0 : c.flow == SWE_FLOW_NONLINEAR ? c.substep : c.substep % 2];
}

/// The head of the linear equations is h of the state at which a substep computes the tendency.
Counted *head_of(const swe_params *params, int substep, const Arrays &a)
{
    if (params->physics.equations == SWE_NONLINEAR)
        return a["head"];
    return substep == 0 ? a["h"] : a["next h"] + (substep - 1) * params->next;
}

const swe_execution one_thread = {1,       nullptr, CPU_TILE_I_SMALL, nullptr, 0, nullptr, nullptr,
                                  nullptr, 0,       nullptr,          nullptr};

void call(const swe_stage_table &table, const counting_case &c, const swe_execution *execution,
          const swe_params *params, const Arrays &a)
{
    Counted *const head = head_of(params, c.substep, a);
    Counted::values_differ =
        c.stage == SWE_STAGE_viscosity; // its projections read what it computes
    switch (c.stage) {
    case SWE_STAGE_projection:
        return table.projection(execution, params, a[projected(c)]);
    case SWE_STAGE_contravariant:
        return table.contravariant(execution, params, a["h"], a["v1"], a["v2"], a["cross1"],
                                   a["cross2"], a["F1"], a["F2"]);
    case SWE_STAGE_bernoulli:
        return table.bernoulli(execution, params, a["h"], a["v1"], a["v2"], a["head"]);
    case SWE_STAGE_vorticity:
        return table.vorticity(execution, params, a["v1"], a["v2"], a["mean1"], a["mean2"],
                               a["shear1"], a["shear2"], a["vorticity"]);
    case SWE_STAGE_gradient:
        return table.gradient(execution, params, head, a["dv1"], a["dv2"]);
    case SWE_STAGE_coriolis:
        return table.coriolis(execution, params, a["h"], a["vorticity"], a["F1"], a["F2"], a["W1"],
                              a["W2"], a["dv1"], a["dv2"]);
    case SWE_STAGE_divergence:
        return table.divergence(execution, params, a["F1"], a["F2"], a["dh"]);
    case SWE_STAGE_sat:
        return table.sat(execution, params, a["h"], a["v1"], a["v2"], a["F1"], a["F2"], a["edge"],
                         a["dh"]);
    case SWE_STAGE_rk4:
        return table.rk4(execution, params, c.substep, 1.0, a["dh"], a["h"], a["next h"]);
    case SWE_STAGE_forcing:
        return table.forcing(execution, params, c.substep, 1.0, 0.0, nullptr, a["h"], a["next h"]);
    case SWE_STAGE_wind:
        return table.wind(execution, params, c.substep, {}, a["F1"], a["F2"], a["h"], a["next h"]);
    case SWE_STAGE_viscosity: {
        swe_work work = {};
        work.cross1 = a["cross1"];
        work.cross2 = a["cross2"];
        work.f1 = a["F1"];
        work.f2 = a["F2"];
        work.edge = a["edge"];
        work.slope1 = a["slope1"];
        work.slope2 = a["slope2"];
        work.velocity_x = a["x1"];
        work.velocity_y = a["x2"];
        work.velocity_z = a["x3"];
        return table.viscosity(execution, params, c.substep, 1.0, &work, a["h"], a["next h"]);
    }
    case SWE_STAGE_fused:
        return table.fused(execution, params,
                           c.substep + (c.leaps ? FUSED_LEAP_FIRST : FUSED_FIRST), 1.0, 1, a["h"],
                           a["h1"]);
    case SWE_STAGE_transport:
        return table.transport(execution, params, c.substep, 1.0, a["h"], a["next h"], head,
                               a["W1"], a["W2"], a["edge_vorticity"]);
    case SWE_STAGE_flux_projection:
        return table.flux_projection(execution, params, c.substep, a["h"], a["next h"], head,
                                     a["W1"], a["W2"], a["edge_vorticity"]);
    case SWE_STAGE_momentum:
        return table.momentum(execution, params, c.substep, 1.0, head, a["W1"], a["W2"], a["h"],
                              a["next h"]);
    case SWE_STAGE_tracer:
        return table.tracer(execution, params, SWE_FLOW_FIELDS, c.substep, 1.0, {}, a["F1"],
                            a["F2"], a["head"], a["cross1"], a["cross2"], a["slope1"], a["slope2"],
                            nullptr, a["h"], a["next h"]);
    case SWE_STAGE_limiter: // its fields: before to M2, one after the other
        return table.limiter(execution, params, SWE_FLOW_FIELDS, {}, a["before"], a["in"], a["out"],
                             a["h"]);
    case SWE_STAGE_damping:
        return table.damping(execution, params, 1.0, a["h"], a["v1"], a["v2"], a["changes"]);
    case SWE_STAGE_dissipation: // its scratch: x1 to x3, z1, z2, one after the other
        return table.dissipation(execution, params, 1.0, a["h"], a["v1"], a["v2"], a["x1"]);
    case SWE_STAGE_integrals:
        return table.integrals(execution, params, a["h"], a["v1"], a["v2"], a["vorticity"],
                               a["integrals"]);
    default:
        std::fprintf(stderr, "counting: no call of stage %d\n", c.stage);
        std::abort();
    }
}

void add(counting_operations &to, const counting_operations &more)
{
    to.additions += more.additions;
    to.multiplications += more.multiplications;
    to.divisions += more.divisions;
    to.roots += more.roots;
}

/// All launches together; what two of them read is read once.
Launch all_launches()
{
    Launch all = launches.front();
    all.kernel = "";
    for (size_t k = 1; k < launches.size(); k++) {
        const Counted::Tally &tally = launches[k].tally;
        for (int origin = 0; origin < Counted::ORIGINS; origin++)
            add(all.tally.operations[origin], tally.operations[origin]);
        all.tally.squares_again += tally.squares_again;
        for (size_t at = 0; at < tally.read.size(); at++) {
            all.tally.read[at] = all.tally.read[at] || tally.read[at];
            all.tally.written[at] = all.tally.written[at] || tally.written[at];
        }
    }
    return all;
}

counting_tally report(const Launch &launch, const Arrays &arrays)
{
    counting_tally out = {};
    const char *name = launch.kernel + std::strspn(launch.kernel, "(");
    std::snprintf(out.kernel, sizeof out.kernel, "%.*s", static_cast<int>(std::strcspn(name, "<")),
                  name);
    out.block_threads = launch.block_threads;
    out.on_values = launch.tally.operations[Counted::VALUE];
    out.on_constants = launch.tally.operations[Counted::CONSTANT];
    out.on_padding = launch.tally.operations[Counted::PADDING];
    out.squares_again = launch.tally.squares_again;
    arrays.report(launch.tally, out.buffers);
    return out;
}

/// Execution of a march on a GPU: a second stream, and a device on which few blocks
/// run at a time, so that its blocks are large.
class SecondStream
{
  public:
    explicit SecondStream(swe_execution &execution)
    {
        cudaStreamCreate(&stream_);
        cudaEventCreate(&before_);
        cudaEventCreate(&after_);
        execution.second_stream = stream_;
        execution.before = before_;
        execution.after = after_;
        execution.march_blocks = 1;
    }
    SecondStream(const SecondStream &) = delete;
    SecondStream &operator=(const SecondStream &) = delete;
    ~SecondStream()
    {
        cudaEventDestroy(after_);
        cudaEventDestroy(before_);
        cudaStreamDestroy(stream_);
    }

  private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t before_ = nullptr, after_ = nullptr;
};

int run_on_cuda(const counting_case &c, swe_params &params, const Arrays &arrays,
                counting_tally *tallies)
{
    swe_execution execution = one_thread;
    const SecondStream second(execution);
    params.marches = c.marches;
    is_viscosity = c.stage == SWE_STAGE_viscosity;
    is_limiter = c.stage == SWE_STAGE_limiter;
    call(swe_stages_cuda, c, &execution, &params, arrays);
    Counted::tally = nullptr;
    tallies[0] = report(all_launches(), arrays);
    for (size_t k = 0; k < launches.size() && k + 1 < COUNTING_TALLIES; k++)
        tallies[k + 1] = report(launches[k], arrays);
    return static_cast<int>(launches.size());
}

void run_on_cpu(const counting_case &c, swe_params &params, const Arrays &arrays,
                counting_tally *tallies)
{
    std::vector<Counted> scratch(swe_stages_cpu.scratch(&one_thread, &params));
    params.scratch = scratch.data();
    is_viscosity = is_limiter = false;
    begin("", dim3());
    call(swe_stages_cpu, c, &one_thread, &params, arrays);
    Counted::tally = nullptr;
    tallies[0] = report(launches.front(), arrays);
}

} // namespace

int counting_run(bool on_cuda, const counting_case *what, counting_tally tallies[COUNTING_TALLIES])
{
    const swe_layout layout = swe_layout_of(what->n);
    const Arrays arrays(layout);
    swe_params params = params_of(arrays, layout, what->order, what->flow);
    launches.clear();
    if (on_cuda)
        return run_on_cuda(*what, params, arrays, tallies);
    run_on_cpu(*what, params, arrays, tallies);
    return 0;
}
