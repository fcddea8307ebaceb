"""Changes that give a healthy summary a pattern: name, device, expected severity, what its evidence
says, and the change."""
from healthy import CALLS, KERNELS, STAGES, STEPS, cost, phase, scale, set_ranks, spread


def slower(data, stage, factor):
    """A stage takes longer, and with it the step."""
    region = next(row for row in data["regions"] if row["name"] == stage)
    before = region["host_ns"]["total"]
    scale(region["host_ns"], factor)
    for row in data["threads"]:
        if row["stage"] == stage:
            scale(row["time_ns"], factor)
            row["counters"]["task_clock"] *= factor
    steps = data["steps"]["host_ns"]
    grown = (steps["total"] + region["host_ns"]["total"] - before) / steps["total"]
    scale(steps, grown)
    data["window"]["seconds"] *= grown
    for row in data["regions"]:
        if row["kind"] == "phase":
            scale(row["host_ns"], grown)
        if row["kind"] == "stage":
            row["share_of_steps"] = row["host_ns"]["total"] / steps["total"]


def dominating(data):
    slower(data, "gradient", 5)


def dominating_gpu(data):
    for row in [*data["stages"], *data["kernels"]]:
        if row["stage"] == "gradient":
            scale(row["time_ns"], 8)
    data["steps"]["gpu_ns"] = spread(2000e3, STEPS)
    data["window"]["seconds"] = STEPS * 2e-3


def idle(data):
    """The same work in a window that is longer; the host does something between launches."""
    data["window"]["seconds"] *= 1.6
    for row in data["regions"]:
        if row["kind"] == "phase":
            scale(row["host_ns"], 1.6)
    data["gpu"]["idle_share"] = 1 - (1 - data["gpu"]["idle_share"]) / 1.6


def idle_while_waiting(data):
    idle(data)
    data["calls"][1]["time_ns"] = spread(1e4, 3 * STEPS)


def idle_while_writing(data):
    idle(data)
    data["regions"][0]["host_ns"] = spread(data["steps"]["host_ns"]["total"], 1)


def host_bound(data):
    idle(data)
    launches = data["calls"][0]["time_ns"]["count"]
    data["calls"][0]["time_ns"] = spread(0.8 * 1e9 * data["window"]["seconds"] / launches, launches)


def copies(data):
    data["copies"] = [
        {"operation": "[CUDA memcpy Device-to-Host]", "time_ns": spread(150e3, STEPS),
         "bytes": spread(21e6 / 30, STEPS)},
        {"operation": "[CUDA memcpy Device-to-Device]", "time_ns": spread(100e3, STEPS),
         "bytes": spread(21e6, STEPS)}]


def small_kernels(data):
    for row in [*data["stages"], *data["kernels"], *data["regions"]]:
        scale(row.get("time_ns") or row.get("gpu_ns") or {}, 0.07)
    for row in data["costs"]:
        for key in ("flops", "read_bytes", "written_bytes"):
            row[key] *= 0.07
    data["steps"]["gpu_ns"] = spread(0.07 * data["steps"]["gpu_ns"]["median"], STEPS)


def few_blocks(data):
    for kernel in data["kernels"]:
        kernel["grid"] = [1, 4, 6]


def low_occupancy(data):
    for kernel in data["kernels"]:
        if kernel["stage"] == "divergence":
            kernel.update(occupancy_percent=18.75, registers=168)


def spills(data):
    for kernel in data["kernels"]:
        if kernel["stage"] == "divergence":
            kernel["local_bytes"] = 96


def imbalance(data):
    """The second thread does half of its part: the first one is 4/3 of the mean."""
    for row in data["threads"]:
        row["imbalance"] = 4 / 3
        if row["thread"] == "worker 1":
            scale(row["time_ns"], 0.5)
            row["share_of_stage"] *= 0.5
            row["counters"]["task_clock"] //= 2


def waiting(data):
    for row in data["threads"]:
        scale(row["time_ns"], 0.8)
        row["share_of_stage"] *= 0.8
        row["counters"]["task_clock"] = round(0.8 * row["counters"]["task_clock"])


def waiting_for_little(data):
    waiting(data)
    for row in data["costs"]:
        for key in ("flops", "read_bytes", "written_bytes"):
            row[key] *= 0.05
    data["window"]["seconds"] *= 0.05
    for row in [*data["regions"], *data["threads"]]:
        scale(row.get("host_ns") or row["time_ns"], 0.05)
    for row in data["threads"]:
        row["counters"]["task_clock"] = round(0.05 * row["counters"]["task_clock"])
    scale(data["steps"]["host_ns"], 0.05)


def busy_machine(data):
    imbalance(data)
    for row in data["threads"]:
        row["counters"]["task_clock"] = round(0.75 * row["time_ns"]["total"])
        row["counters"]["context_switches"] = 40


def one_thread_waits(data):
    """It shares its core; a single thread has no times of parts."""
    data["threads"], data["device"]["threads"] = [], 1
    data["tracing"].update(core_wait_share=0.2)


def slow_for_no_reason(data):
    """Stages with less than half of the time are far below the bandwidth; together they are below 40 %."""
    for row in data["costs"]:
        for key in ("flops", "read_bytes", "written_bytes"):
            row[key] *= 0.3 if row["stage"] in ("rk4", "contravariant") else 1


def near_peak(data):
    data["ceilings"]["copy_bandwidth_bytes_per_s"] *= 0.6


def cached(data):
    """Every stage moves 2.5 times what a copy does."""
    data["ceilings"]["copy_bandwidth_bytes_per_s"] *= 0.2


def computing(data):
    """Ten times the operations, and a device that computes hardly faster."""
    for row in data["costs"]:
        row["flops"] *= 10
    data["ceilings"]["fp64_flops_per_s"] = 4.5e12


def below_peak(data):
    data["ceilings"]["copy_bandwidth_bytes_per_s"] *= 1.5


def output(data):
    data["phases"] += [phase("output", 0.2, 5), phase("output wait", 1.0, 5)]


def drops(data):
    data["drops"].update(spans=17, ops=200)


def drops_of_ranks(data):
    data["ranks"]["each"][1]["dropped"], data["ranks"]["each"][3]["dropped"] = 5, 40


def recount(data, factors):
    """Counters of every stage times a factor, by their names; `fp64_flops` with all its parts."""
    for row in data["counters"]["stages"]:
        for key, factor in factors.items():
            for name in ["fp64_adds", "fp64_multiplies", "fp64_fmas"] if "flops" in key else []:
                row[name] *= factor
            row[key] *= factor


def less_traffic(data):
    recount(data, {"dram_read_bytes": 0.4, "dram_written_bytes": 0.7})


def less_traffic_nor_requested(data):
    recount(data, {"dram_read_bytes": 0.4, "dram_written_bytes": 0.7, "l2_bytes": 0.6})


def less_traffic_unrequested(data):
    less_traffic(data)
    for row in data["counters"]["stages"]:
        row["l2_bytes"] = None


def more_traffic(data):
    recount(data, {"dram_read_bytes": 1.3, "l2_bytes": 1.25})


def more_traffic_read(data):
    recount(data, {"dram_read_bytes": 1.3})


def more_traffic_written(data):
    recount(data, {"dram_written_bytes": 2.2})


def much_more_traffic(data):
    recount(data, {"dram_read_bytes": 2.0, "l2_bytes": 1.9})


def more_operations(data):
    recount(data, {"fp64_flops": 1.6})


def more_operations_that_cost(data):
    more_operations(data)
    data["ceilings"]["fp64_flops_per_s"] = 1e12


def fewer_operations(data):
    recount(data, {"fp64_flops": 0.7})


def uneven_blocks(data):
    """A rank has half of the sphere; the others wait for it as long as they must."""
    set_ranks(data, [1.0, 1.0, 3.0, 1.0], wait=0.02, shares=[1 / 6, 1 / 6, 1 / 2, 1 / 6])


def slow_rank(data):
    """The others wait, and for no more than the slowest."""
    set_ranks(data, [1.0, 1.0, 1.0, 1.5], wait=0.15, late=["gradient", "rk4"])


def exposed_messages(data):
    set_ranks(data, [1.0, 1.02, 0.99, 1.03], wait=0.12)


def exposed_much(data):
    set_ranks(data, [1.0, 1.02, 0.99, 1.03], wait=0.5)


def uncertain_clocks(data):
    set_ranks(data, [1.0, 1.02, 0.99, 1.03], uncertainty=10 ** 6)


PATTERNS = [
    ("One stage dominates", "cpu", "warning", ["gradient", "57 %", "4.0 calls"], dominating),
    ("One stage dominates", "gpu", "warning", ["gradient", "64 %"], dominating_gpu),
    ("GPU idle gaps", "gpu", "warning", ["41 % of the window", "synchronized with the GPU 1 times"], idle),
    ("GPU idle gaps", "gpu", "warning", ["synchronized with the GPU 30 times"], idle_while_waiting),
    ("GPU idle gaps", "gpu", "warning", ["38 % of the window was outside"], idle_while_writing),
    ("Host-bound: launch overhead", "gpu", "warning", ["80 % of it in 360 launches"], host_bound),
    ("Large copies between host and GPU", "gpu", "warning", ["10 copies", "16 %", "7.0 MB"], copies),
    ("Many small kernels", "gpu", "warning", ["360 of 360 launches", "36 kernels a step"],
     small_kernels),
    ("Grids too small for the GPU", "gpu", "warning", ["(132)", "has 24"], few_blocks),
    ("Low occupancy", "gpu", "bad", ["divergence", "19 %", "168 registers", "256 threads"],
     low_occupancy),
    ("Register spills", "gpu", "warning", ["divergence", "96 bytes"], spills),
    ("Thread imbalance", "cpu", "warning", ["25 % of the step time", "1.33 times"], imbalance),
    ("Fork and barrier overhead", "cpu", "warning", ["23 % of the step time", "77 %"], waiting),
    ("Fork and barrier overhead", "cpu", "warning", ["23 % of the step time", "50.0 us"],
     waiting_for_little),
    ("CPU cores shared with other work", "cpu", "warning", ["75 %", "480 context switches"], busy_machine),
    ("CPU cores shared with other work", "cpu", "warning", ["waited", "ms for cores"], one_thread_waits),
    ("Bad indicators without a known cause", "cpu", "bad", ["memory bandwidth 3"], slow_for_no_reason),
    ("Memory-bound, near peak bandwidth", "cpu", "good", ["83 % of copies in the memories that serve them"], near_peak),
    ("Memory-bound, near peak bandwidth", "gpu", "good", ["100 % of the time"], near_peak),
    ("Working set fits in the caches", "cpu", "good", ["100 % of the time", "250 %"], cached),
    ("Working set fits in the caches", "gpu", "good", ["100 % of the time", "250 %"], cached),
    ("Compute-bound, near peak FLOP rate", "gpu", "good", ["100 % of the time"], computing),
    ("Memory-bound, far below peak bandwidth", "gpu", "warning", ["33 %"], below_peak),
    ("Memory-bound, far below peak bandwidth", "cpu", "warning", ["33 %"], below_peak),
    ("Output and diagnostics are expensive", "cpu", "warning", ["output 1.200 s", "9 times"], output),
    ("Dropped profiler records", "gpu", "warning", ["17 regions", "200 operations"], drops),
    ("Dropped profiler records", "ranks", "warning", ["0 regions", "Of the other ranks, 2 lost 45 records."], drops_of_ranks),
    ("Less memory traffic than the static cost", "counters", "good",
     ["6 of 6 stages moved less", "10 %", "(0.52 times)", "requested from L2"], less_traffic),
    ("More memory traffic than the static cost", "counters", "warning",
     ["4 of 6 stages moved more", "10 % of the stage and 2 % of the step", "(1.19 times)", "requested from L2"], more_traffic),
    ("More memory traffic than the static cost", "counters", "bad", ["(1.62 times)"],
     much_more_traffic),
    ("More operations than the static cost", "counters", "good",
     ["6 of 6 stages executed more", "(1.68 times)", "FLOP/B"], more_operations),
    ("More operations than the static cost", "counters", "warning", ["(1.68 times)"],
     more_operations_that_cost),
    ("Fewer operations than the static cost", "counters", "good",
     ["4 of 6 stages executed fewer", "(0.73 times)"], fewer_operations),
    ("Rank imbalance", "ranks", "bad", ["Rank 2 on node-2", "2.00 times the mean of 4 ranks", "2.00 times the mean of the vertices",
                                        "stage contravariant"], uneven_blocks),
    ("Rank imbalance", "ranks", "warning", ["Rank 3 on node-2", "1.00 times the mean of the vertices", "stage rk4", "1.33 times"], slow_rank),
    ("Exposed messages between ranks", "ranks", "warning", ["11 % of their", "12 exchanges", "32 messages and 210.0 kB"], exposed_messages),
    ("Exposed messages between ranks", "ranks", "bad", ["33 % of their"], exposed_much),
    ("Uncertain clocks of ranks", "ranks", "warning", ["rank 3 on node-2", "-21.0 us", "3000.0 us", "% of a step"], uncertain_clocks),
]
