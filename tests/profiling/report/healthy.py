"""Summaries of healthy runs, to be changed into those of others. Every number is synthetic."""
import copy

STAGES = ["projection", "gradient", "contravariant", "divergence", "sat", "rk4"]
CALLS = dict(zip(STAGES, [8, 4, 4, 4, 4, 4]))
STEPS = 10


def spread(each, count):
    """Statistics of `count` equal values."""
    each = round(each)
    return {"count": count, "total": each * count, "mean": each, "median": each,
            "lower_quartile": each, "upper_quartile": each, "min": each, "max": each,
            "deviation": 0}


def scale(times, factor):
    """Make a spread longer or shorter."""
    for key in times:
        if key != "count":
            times[key] = round(times[key] * factor)


def cost(stage, flops, read, written):
    return {"stage": stage, "flops": flops, "read_bytes": read, "written_bytes": written,
            "reach_bytes": None, "buffers": [{"name": "h", "bytes": read, "access": "read"},
                        {"name": "dh", "bytes": written, "access": "write"}]}


def ceilings(bandwidth, flops):
    return {"copy_bandwidth_bytes_per_s": bandwidth, "fp64_flops_per_s": flops, "fp32_flops_per_s": None, "caches": []}


def device(name, is_gpu):
    known = {"vendor": "NVIDIA", "compute_capability": "9.0", "multiprocessors": 132,
             "warps_per_multiprocessor": 64, "clock_hz": 1.98e9,
             "memory_bandwidth_bytes_per_s": 4.8e12, "memory_bytes": 1.5e11,
             "peak_fp64_flops": 3.35e13}
    return {"name": name, "is_gpu": is_gpu, "index": 0, "threads": 2,
            **(known if is_gpu else dict.fromkeys(known))}


def region(name, kind, each, count, share, gpu=None, ops=0):
    return {"name": name, "kind": kind, "host_ns": spread(each, count), "share_of_steps": share,
            "gpu_ns": gpu, "gpu_ops": ops}


def phase(name, seconds, count):
    return {"name": name, "total_ns": round(1e9 * seconds), "count": count}


def memory():
    moment = {"in_use_bytes": 127000000, "peak_bytes": 127000000, "blocks": 2}
    nothing = {"bytes": 0, "blocks": 0}
    sites = [("state", 7000000), ("scratch", 120000000)]
    return {"before": moment, "after": dict(moment), "allocated": dict(nothing),
            "released": dict(nothing), "untracked": dict(nothing),
            "sites": [{"label": label, "function": "place", "file": "model.c", "line": 43 + k,
                       "before": {"bytes": size, "blocks": 1},
                       "after": {"bytes": size, "blocks": 1}}
                      for k, (label, size) in enumerate(sites)]}


def summary(name, is_gpu, step, host):
    """The common part of CPU and GPU. `step`: ns of a step; `host`: ns of a call of each stage there."""
    total = STEPS * step
    stages = [region(stage, "stage", host[stage], STEPS * CALLS[stage],
                     CALLS[stage] * host[stage] / step) for stage in STAGES]
    return {
        "schema": "cubeswe-profile", "schema_version": 1, "case": "gaussian_seed",
        "version": "0.1.0", "host": "node-1", "process": 4200, "mode": "trace",
        "run": {"n": 384.0, "order": 4.0, "closure": "equispaced", "dt": 0.001, "steps": 1000.0,
                "unknowns": 2663430.0, "build": "0123abcd, Release, GNU 12.2.0"},
        "window": {"first_step": 10, "steps": STEPS, "start_ns": 1795190400123456789,
                   "seconds": 1e-9 * total * 1.01},
        "tracing": {"launch": "eager" if is_gpu else None, "launched_steps": 0,
                    "untraced_step_ns": step / 1.02, "untraced_strides": 5, "traced_step_ns": step,
                    "ratio": 1.02, "later_step_ns": None, "core_wait_share": 0.0, "discarded_steps": 2 if is_gpu else 0,
                    "early_ops": 0, "clock_difference_ns": 0 if is_gpu else None},
        "device": device(name, is_gpu),
        "phases": [phase("setup", 0.3, 1), phase("warm-up", 3.0, 4),
                   phase("steps", 1e-9 * total, 1), phase("diagnostics", 0.05, 4)],
        "steps": {"host_ns": spread(step, STEPS), "gpu_ns": None,
                  "each": [{"step": 10 + k, "host_ns": round(step), "gpu_ns": None, "gpu_ops": 0}
                           for k in range(STEPS)]},
        "regions": [region("steps", "phase", total * 1.005, 1, None),
                    region("step", "step", step, STEPS, 1.0), *stages],
        "stages": [], "kernels": [], "copies": [], "calls": [], "gpu": None, "threads": [], "parts": [],
        "memory": memory(), "costs": [],
        "ceilings": ceilings(None, None),
        "counters": None, "ranks": None,
        "drops": dict.fromkeys(["spans", "ops", "records", "rejected", "unknown"], 0),
        "warnings": []}


def thread(stage, name, number, each, count, share):
    time = each * count
    return {"stage": stage, "thread": name, "thread_id": 4200 + number,
            "time_ns": spread(each, count), "share_of_stage": share, "imbalance": 1.0,
            "counters": {"task_clock": round(0.99 * time), "context_switches": 2,
                         "instructions": round(3 * time), "cycles": round(2 * time),
                         "cache_misses": 1000},
            "instructions_per_cycle": 1.5}


def part(stage, name, samples, share):
    return {"stage": stage, "part": name, "samples": samples, "time_ns": samples * 997000,
            "share_of_stage": share}


def cpu():
    """Two threads, n = 384: half of what a copy moves."""
    calls = dict(zip(STAGES, [40e3, 900e3, 1000e3, 900e3, 400e3, 1000e3]))  # ns
    step = sum(CALLS[stage] * calls[stage] for stage in STAGES) * 1.002
    data = summary("Sample CPU", False, step, calls)
    data["threads"] = [thread(stage, name, k, 0.96 * calls[stage], STEPS * CALLS[stage], 0.96)
                       for stage in sorted(STAGES) for k, name in enumerate(["main", "worker 1"])]
    data["parts"] = [part("rk4", "update", 90, 1.0), part("gradient", "stencil", 60, 0.75),
                     part("gradient", None, 20, 0.25)]
    # 20 GB/s of a copy: every stage at 10 GB/s and 0.2 FLOP/B
    data["costs"] = [cost(stage, 2.0 * calls[stage], 6.0 * calls[stage], 4.0 * calls[stage])
                     for stage in STAGES]
    data["ceilings"] = ceilings(2e10, 5e10)
    return data


KERNELS = {"projection": ["projection_kernel"], "gradient": ["gradient_kernel<4>"],
           "contravariant": ["cross_kernel<4>", "flux_kernel<4>"],
           "divergence": ["divergence_kernel<4>"], "sat": ["exchange_kernel", "consensus_kernel"],
           "rk4": ["rk4_kernel"]}


def gpu():
    """Kernels one after the other with little between them; half of what a copy moves."""
    lasts = dict(zip(STAGES, [6e3, 40e3, 30e3, 45e3, 6e3, 50e3]))  # ns of a kernel
    gap = 1e3
    busy = {stage: lasts[stage] * len(KERNELS[stage]) for stage in STAGES}
    spans = {stage: busy[stage] + gap * (len(KERNELS[stage]) - 1) for stage in STAGES}
    step = sum(CALLS[stage] * (spans[stage] + gap) for stage in STAGES)
    data = summary("Sample GPU", True, step, dict.fromkeys(STAGES, 5e3))
    launches = sum(CALLS[stage] * len(KERNELS[stage]) for stage in STAGES)
    data["steps"]["gpu_ns"] = spread(step - gap, STEPS)
    for each in data["steps"]["each"]:
        each.update(gpu_ns=round(step - gap), gpu_ops=launches)
    for row in data["regions"]:
        if row["kind"] == "stage":
            row["gpu_ns"] = spread(spans[row["name"]], STEPS * CALLS[row["name"]])
            row["gpu_ops"] = STEPS * CALLS[row["name"]] * len(KERNELS[row["name"]])
    data["stages"] = [{"stage": stage, "time_ns": spread(
        lasts[stage], STEPS * CALLS[stage] * len(KERNELS[stage])),
        "calls_ns": spread(spans[stage], STEPS * CALLS[stage])} for stage in STAGES]
    data["kernels"] = [
        {"name": kernel, "stage": stage, "time_ns": spread(lasts[stage], STEPS * CALLS[stage]),
         "grid": [12, 48, 6], "block": [32, 8, 1], "registers": 40, "static_shared_bytes": 0,
         "dynamic_shared_bytes": 0, "local_bytes": 0, "occupancy_percent": 75.0}
        for stage in STAGES for kernel in KERNELS[stage]]
    data["calls"] = [
        {"name": "cudaLaunchKernel", "kind": "runtime",
         "time_ns": spread(2500, STEPS * launches), "failed": 0},
        {"name": "stream synchronize", "kind": "synchronize", "time_ns": spread(1e6, 1),
         "failed": 0}]
    window = 1e9 * data["window"]["seconds"]
    worked = STEPS * sum(CALLS[stage] * busy[stage] for stage in STAGES)
    quantity = {"count": 3, "mean": 95.0, "min": 92.0, "max": 99.0}
    data["gpu"] = {"ops": STEPS * launches, "busy_ns": round(worked),
                   "idle_share": 1 - worked / window,
                   "launch_latency_ns": spread(40e3, STEPS * launches),
                   "queue_ns": spread(37e3, STEPS * launches),
                   "samples": {name: dict(quantity) for name in [
                       "sm_percent", "memory_percent", "memory_used_bytes", "sm_clock_mhz",
                       "memory_clock_mhz", "power_watts", "temperature_celsius"]},
                   "sampled": None}
    # 4 TB/s of a copy: every stage at 2 TB/s and 0.2 FLOP/B
    data["costs"] = [cost(stage, 400.0 * busy[stage], 1200.0 * busy[stage], 800.0 * busy[stage])
                     for stage in STAGES]
    data["ceilings"] = ceilings(4e12, 3e13)
    return data


def counted(data):
    """Counters where the formulas are right: all traffic reaches memory, L1 requests are
    twice of it, and four fifths of the operations are in multiply-adds."""
    rows = []
    for row in data["costs"]:
        stage, calls = row["stage"], CALLS[row["stage"]]
        read, written = 1.02 * calls * row["read_bytes"], 0.98 * calls * row["written_bytes"]
        flops = 1.05 * calls * row["flops"]
        rows.append({"stage": stage, "calls": calls,
                     "kernels": [{"name": name, "launches": calls} for name in KERNELS[stage]],
                     "time_ns": 0.6e-3 * (read + written), "dram_read_bytes": read,
                     "dram_written_bytes": written, "l2_bytes": read + written,
                     "l1_bytes": 2 * (read + written), "fp64_adds": 0.1 * flops,
                     "fp64_multiplies": 0.1 * flops, "fp64_fmas": 0.4 * flops, "fp64_flops": flops})
    return {"chip": "GH100", "passes": 2, "first_step": 10, "stages": rows}


def counters():
    """A window that counts in place of tracing: no times of the GPU."""
    data = gpu()
    data.update(mode="counters", kernels=[], stages=[], calls=[], gpu=None,
                counters=counted(data))
    data["steps"]["gpu_ns"] = None
    for row in [*data["steps"]["each"], *data["regions"]]:
        row.update(gpu_ns=None, gpu_ops=0)
    return data


def over(values):
    """Of two values in the middle the mean."""
    least, low, high, greatest = sorted(values)
    return {"least": least, "median": (low + high) / 2, "greatest": greatest}


def lengthen(data, factors):
    """Lengthen calls of stages on the host by a factor each, and with them the step; threads work as before."""
    steps = data["steps"]["host_ns"]
    before, grown = steps["total"], steps["total"]
    for row in data["regions"]:
        if row["kind"] == "stage":
            grown -= row["host_ns"]["total"]
            scale(row["host_ns"], factors[row["name"]])
            grown += row["host_ns"]["total"]
    for row in data["threads"]:
        row["share_of_stage"] /= factors[row["stage"]]
    scale(steps, grown / before)
    data["window"]["seconds"] *= grown / before
    for row in data["regions"]:
        if row["kind"] == "stage":
            row["share_of_steps"] = row["host_ns"]["total"] / grown
        else:
            scale(row["host_ns"], grown / before)


def set_ranks(data, works, wait=0.03, shares=(0.25,) * 4, uncertainty=500, late=()):
    """Four ranks on two hosts. Work relative to rank 0 of stages in `late`, all by default; `wait`: share
    of the mean work."""
    waited = {row["stage"]: row["rank_0_exposed_ns"] for row in data["ranks"]["stages"]} if data["ranks"] else {}
    times = {row["name"]: row["host_ns"]["median"] * CALLS[row["name"]] for row in data["regions"] if row["kind"] == "stage"}
    calls = {stage: time - waited.get(stage, 0) for stage, time in times.items()}
    if not data["device"]["is_gpu"]:
        lengthen(data, {stage: (1 + wait) * calls[stage] / times[stage] for stage in calls})
    stages, sums = [], {"work": [0.0] * 4, "wait": [0.0] * 4}
    for stage, time in calls.items():
        work = [time * (factor if not late or stage in late else 1.0) for factor in works]
        waits = [wait * time] * 4
        for sum_of, values in (("work", work), ("wait", waits)):
            sums[sum_of] = [a + b for a, b in zip(sums[sum_of], values)]
        stages.append({"stage": stage, "time_ns": over([a + b for a, b in zip(work, waits)]),
                       "work_ns": over(work), "exposed_ns": over(waits), "rank_0_exposed_ns": waits[0], "imbalance": 4 * max(work) / sum(work),
                       "slowest": work.index(max(work)), "exchanges": 2.0, "messages": 6.0, "received_bytes": 36e3})
    steps = [a + b for a, b in zip(sums["work"], sums["wait"])]
    each = [{"rank": k, "host": f"node-{1 + k // 2}", "process": 4200 + k, "device": "Sample CPU", "threads": 2,
             "share": shares[k], "clock_difference_ns": -7000 * k, "clock_uncertainty_ns": k * uncertainty,
             "step_ns": steps[k], "work_ns": sums["work"][k], "exposed_ns": sums["wait"][k], "messages": 32.0,
             "received_bytes": 210e3, "sent_bytes": 200e3, "memory_peak_bytes": 30000000, "dropped": 0}
            for k in range(4)]
    data["ranks"] = {"count": 4, "traced": 4, "step_ns": over(steps), "imbalance": 4 * max(sums["work"]) / sum(sums["work"]),
                     "exposed_share": sum(sums["wait"]) / sum(steps), "each": each,
                     "stages": sorted(stages, key=lambda row: -row["time_ns"]["median"])}


def ranks():
    """Four ranks that work alike and wait little."""
    data = cpu()
    set_ranks(data, [1.0, 1.02, 0.99, 1.03])
    return data


def of(kind):
    return copy.deepcopy({"cpu": cpu, "gpu": gpu, "counters": counters, "ranks": ranks}[kind]())
