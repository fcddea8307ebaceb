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

namespace
{

/// What a kernel did; or a stage on the CPU, which has none.
struct Launch {
    const char *kernel;
    int block_threads;
    Counted::Tally tally;
};
std::vector<Launch> launches;

void begin(const char *kernel, dim3 block)
{
    const std::vector<bool> none(Counted::memory.size());
    const int threads = static_cast<int>(block.x * block.y * block.z);
    launches.push_back({kernel, threads, {{}, {}, none, none}});
    Counted::tally = &launches.back().tally;
}

} // namespace

#undef SWE_LAUNCH
#define SWE_LAUNCH(kernel, grid, block, ...)                                                       \
    (begin(#kernel, block), cuda_emulation::launch(#kernel, kernel, grid, block, __VA_ARGS__))

// From here on, doubles count.
#define double Counted
#include "stages/bernoulli/bernoulli_cpu.c"
#include "stages/bernoulli/bernoulli_cuda.cu"
#include "stages/budgets/budgets_cpu.c"
#include "stages/budgets/budgets_cuda.cu"
#include "stages/contravariant/contravariant_cpu.c"
#include "stages/contravariant/contravariant_cuda.cu"
#include "stages/contravariant/contravariant_tile_cpu.c"
#include "stages/coriolis/coriolis_cpu.c"
#include "stages/coriolis/coriolis_cuda.cu"
#include "stages/damping/damping_cpu.c"
#include "stages/damping/damping_cuda.cu"
#include "stages/dissipation/dissipation_cpu.c"
#include "stages/dissipation/dissipation_cuda.cu"
#include "stages/divergence/divergence_cpu.c"
#include "stages/divergence/divergence_cuda.cu"
#include "stages/fused/fused_cpu.c"
#include "stages/fused/fused_cuda.cu"
#include "stages/gradient/gradient_cpu.c"
#include "stages/gradient/gradient_cuda.cu"
#include "stages/join/join_cpu.c"
#include "stages/join/join_cuda.cu"
#include "stages/momentum/momentum_cpu.c"
#include "stages/momentum/momentum_cuda.cu"
#include "stages/momentum/momentum_row_cpu.c"
#include "stages/projection/projection_cpu.c"
#include "stages/projection/projection_cuda.cu"
#include "stages/rk4/rk4_cpu.c"
#include "stages/rk4/rk4_cuda.cu"
#include "stages/sat/sat_cpu.c"
#include "stages/sat/sat_cuda.cu"
#include "stages/transport/transport_cpu.c"
#include "stages/transport/transport_cuda.cu"
#include "stages/vorticity/vorticity_cpu.c"
#include "stages/vorticity/vorticity_cuda.cu"
#include "stages/table_cpu.c"
#include "stages/table_cuda.cu"

namespace
{

/// An array: its values, and where they are in the memory.
struct Array {
    const char *name;
    int rows, columns; ///< Of values, on each panel.
    ptrdiff_t pitch, panel, size, begin;

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
        }
        for (const char *name : {"cross1", "cross2", "mean1", "mean2", "vorticity", "head", "b",
                                 "f", "W1", "W2", "x1", "x2", "x3", "z1", "z2"})
            add_field(name, side, side, six);
        add_field("F1", side, n, six);
        add_field("F2", n, side, six);
        add_field("shear1", side, n, six);
        add_field("shear2", n, side, six);
        add_field("1/J", side, side, one);
        add_field("J g^11", side, n, one);
        add_field("J g^12", side, side, one);
        add_field("J g^22", n, side, one);
        add_table("edge", SWE_EDGES, side);
        add_table("changes", SWE_EDGES, side);
        add_table("margin", SWE_PANELS * SWE_SIDES, side);
        add_table("tangents", 1, side);
        add_table("norms", 1, side + n);
        add_table("budgets", SWE_PANELS * side, BUDGETS_VALUES);
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

    void report(const Counted::Tally &tally, counting_buffer *out) const
    {
        for (const Array &array : arrays_) {
            *out = {array.name, 0, 0, 0, 0};
            for (ptrdiff_t at = 0; at < array.size; at++) {
                const auto place = static_cast<size_t>(array.begin + at);
                const bool value = array.is_value(at);
                (value ? out->read : out->padding_read) += tally.read[place];
                (value ? out->written : out->padding_written) += tally.written[place];
            }
            out++;
        }
    }

  private:
    static constexpr const char *states[][3] = {{"h", "v1", "v2"},
                                                {"dh", "dv1", "dv2"},
                                                {"next h", "next v1", "next v2"},
                                                {"next h", "next v1", "next v2"},
                                                {"next h", "next v1", "next v2"}};

    void add(Array array)
    {
        array.begin = end_;
        end_ += array.size;
        arrays_.push_back(array);
    }
    void add_field(const char *name, int rows, int columns, ptrdiff_t size)
    {
        add({name, rows, columns, layout_.pitch, layout_.panel, size, 0});
    }
    /// Without padding.
    void add_table(const char *name, int rows, int columns)
    {
        const ptrdiff_t size = static_cast<ptrdiff_t>(rows) * columns;
        add({name, rows, columns, columns, size, size, 0});
    }
    /// No two values are alike, as then a cube vertex would have no mean to compute.
    void fill()
    {
        Counted::tally = nullptr;
        Counted::memory.assign(static_cast<size_t>(end_), Counted());
        for (size_t at = 0; at < Counted::memory.size(); at++)
            Counted::memory[at] = 1.0 + static_cast<number>(at);
    }

    swe_layout layout_;
    std::vector<Array> arrays_;
    ptrdiff_t end_ = 0;
};

/// What is counted does not depend on what the constants and the operators' weights are.
swe_view view_of(const Arrays &arrays, const swe_layout &layout, int order, swe_flow flow)
{
    swe_view view = {};
    view.layout = layout;
    view.next = 3 * layout.field;
    view.sbp.order = order;
    for (Counted &weight : view.sbp.hv)
        weight = 1.0;
    for (Counted &weight : view.sbp.hc)
        weight = 1.0;
    for (auto &column : view.sbp.pcv) // so that what meets at a cube vertex is not all 0
        for (Counted &weight : column)
            weight = 1.0;
    for (auto &column : view.sbp.pvc)
        for (Counted &weight : column)
            weight = 1.0;
    for (auto &column : view.sbp.spread)
        for (Counted &weight : column)
            weight = 1.0;
    view.equations = flow == SWE_FLOW_NONLINEAR ? SWE_NONLINEAR : SWE_LINEAR;
    view.turns = flow != SWE_FLOW_STILL;
    swe_topology_create(&view.topology);
    view.inverse_spacing = view.radius = view.gravity = view.inverse_gravity = view.depth = 1.0;
    view.norm_vertex = arrays["norms"];
    view.norm_cell = view.norm_vertex + layout.n + 1;
    view.tan_vertex = arrays["tangents"];
    view.inverse_jacobian = arrays["1/J"];
    view.metric11 = arrays["J g^11"];
    view.metric12 = arrays["J g^12"];
    view.metric22 = arrays["J g^22"];
    view.bottom = arrays["b"];
    view.coriolis = arrays["f"];
    view.workers.threads = 1;
    view.workers.tile_columns = CPU_TILE_I_SMALL;
    return view;
}

/// A field that the staged pipeline projects; of linear equations another part takes it again.
const char *projected(swe_flow flow, int part)
{
    static const char *const fields[] = {"h", "dh", "head", "vorticity"};
    return fields[flow == SWE_FLOW_NONLINEAR ? part : part % 2];
}

/// The head of the linear equations is h of the state at which a part takes the tendency.
Counted *head_of(const swe_view *view, int part, const Arrays &a)
{
    if (view->equations == SWE_NONLINEAR)
        return a["head"];
    return part == 0 ? a["h"] : a["next h"] + (part - 1) * 3 * view->layout.field;
}

void call(const swe_stage_table &table, const counting_case &c, const swe_view *view,
          const Arrays &a)
{
    Counted *const head = head_of(view, c.part, a);
    switch (c.stage) {
    case SWE_STAGE_projection:
        return table.projection(view, a[projected(c.flow, c.part)]);
    case SWE_STAGE_contravariant:
        return table.contravariant(view, a["h"], a["v1"], a["v2"], a["cross1"], a["cross2"],
                                   a["F1"], a["F2"]);
    case SWE_STAGE_bernoulli:
        return table.bernoulli(view, a["h"], a["v1"], a["v2"], a["head"]);
    case SWE_STAGE_vorticity:
        return table.vorticity(view, a["v1"], a["v2"], a["mean1"], a["mean2"], a["shear1"],
                               a["shear2"], a["vorticity"]);
    case SWE_STAGE_gradient:
        return table.gradient(view, head, a["dv1"], a["dv2"]);
    case SWE_STAGE_coriolis:
        return table.coriolis(view, a["h"], a["vorticity"], a["F1"], a["F2"], a["W1"], a["W2"],
                              a["dv1"], a["dv2"]);
    case SWE_STAGE_divergence:
        return table.divergence(view, a["F1"], a["F2"], a["dh"]);
    case SWE_STAGE_sat:
        return table.sat(view, a["h"], a["v1"], a["v2"], a["F1"], a["F2"], a["edge"], a["dh"]);
    case SWE_STAGE_rk4:
        return table.rk4(view, c.part, 1.0, a["dh"], a["h"], a["next h"]);
    case SWE_STAGE_fused:
        return table.fused(view, c.part, 1.0, 1.0, a["h"], a["next h"]);
    case SWE_STAGE_transport:
        return table.transport(view, c.part, 1.0, a["h"], a["next h"], head, a["W1"], a["W2"],
                               a["margin"]);
    case SWE_STAGE_join:
        return table.join(view, c.part, a["h"], a["next h"], head, a["W1"], a["W2"], a["margin"]);
    case SWE_STAGE_momentum:
        return table.momentum(view, c.part, 1.0, head, a["W1"], a["W2"], a["h"], a["next h"]);
    case SWE_STAGE_damping:
        return table.damping(view, 1.0, a["h"], a["v1"], a["v2"], a["changes"]);
    case SWE_STAGE_dissipation: // its scratch: x1 to x3, z1, z2, one after the other
        return table.dissipation(view, 1.0, a["h"], a["v1"], a["v2"], a["x1"]);
    case SWE_STAGE_budgets:
        return table.budgets(view, a["h"], a["v1"], a["v2"], a["vorticity"], a["budgets"]);
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
        add(all.tally.on_values, tally.on_values);
        add(all.tally.on_constants, tally.on_constants);
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
    out.on_values = launch.tally.on_values;
    out.on_constants = launch.tally.on_constants;
    arrays.report(launch.tally, out.buffers);
    return out;
}

} // namespace

int counting_run(bool on_cuda, const counting_case *what, counting_tally tallies[COUNTING_TALLIES])
{
    const swe_layout layout = swe_layout_of(what->n);
    const Arrays arrays(layout);
    swe_view view = view_of(arrays, layout, what->order, what->flow);
    std::vector<Counted> scratch(swe_stages_cpu.scratch(&view));
    view.scratch = scratch.data();
    launches.clear();
    if (!on_cuda)
        begin("", dim3());
    call(on_cuda ? swe_stages_cuda : swe_stages_cpu, *what, &view, arrays);
    Counted::tally = nullptr;
    int count = 0;
    tallies[count++] = report(all_launches(), arrays);
    for (size_t k = 0; on_cuda && k < launches.size() && count < COUNTING_TALLIES; k++)
        tallies[count++] = report(launches[k], arrays);
    return on_cuda ? static_cast<int>(launches.size()) : 0;
}
