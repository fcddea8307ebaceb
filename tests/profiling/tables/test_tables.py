"""Every table is read with Python's csv and compared with values recomputed from the trace by numpy."""
import csv

import pytest

from recompute import (COPY, COUNTERS, DRIVER, FILL, KERNEL, OVERHEAD, RUNTIME, SYNCHRONIZE, THREAD,
                       TRACES, Trace, call_name, group, statistics, time)

SUMMARY = "Time (%),Total Time (ns),{},Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
HEADINGS = {
    "cuda_gpu_kern_sum": SUMMARY.format("Instances") + "Name",
    "cuda_api_sum": SUMMARY.format("Num Calls") + "Name",
    "cuda_gpu_mem_time_sum": SUMMARY.format("Count") + "Operation",
    "cuda_gpu_mem_size_sum": "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),"
                             "Operation",
    "nvtx_sum": SUMMARY.format("Instances") + "Style,Range",
    "nvtx_gpu_proj_sum": "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,"
                         "Proj Avg (ns),Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),"
                         "Total GPU Ops,Avg GPU Ops,Avg Range Lvl,Avg Num Child",
    "cuda_gpu_trace": "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,"
                      "StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,"
                      "Device,Ctx,GreenCtx,Strm,Name",
    "kernel_stats": "rank,kernel_name,registers_per_thread,shmem_bytes,block_dim,grid_dim,"
                    "occupancy_pct,op_name,occurrences,total_duration_us,avg_duration_us,"
                    "min_duration_us,max_duration_us",
    "cpu_thread_sum": "Stage,Thread,Share of Stage (%),Total Time (ns),Instances,Avg (ns),Med (ns),"
                      "Min (ns),Max (ns),StdDev (ns),Imbalance,Task Clock (ns),Context Switches,"
                      "Instructions,Cycles,Cache Misses,Instructions per Cycle",
    "code_lines": "Stage,Part,Kernel,File,Line,Samples",
}
GPU_TABLES = [name for name in HEADINGS if name.startswith("cuda_")] + [
    "nvtx_gpu_proj_sum", "kernel_stats"]


@pytest.fixture(scope="module", params=TRACES)
def trace(request, tmp_path_factory):
    return Trace("tables", request.param, str(tmp_path_factory.mktemp(request.param)))


def read(trace, name):
    """Rows of a table, as dictionaries."""
    with open(trace.folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert all(len(row) == len(rows[0]) for row in rows)
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def check_real(text, expected, decimals):
    """A number printed with the given decimals."""
    assert len(text.partition(".")[2]) == decimals, text
    assert abs(float(text) - expected) <= 0.5001 * 10.0**-decimals + 1e-12 * abs(expected)


def check_times(row, expected, prefix=""):
    check_real(row[prefix + "Avg (ns)"], expected["mean"], 1)
    check_real(row[prefix + "Med (ns)"], expected["median"], 1)
    assert row[prefix + "Min (ns)"] == str(expected["min"])
    assert row[prefix + "Max (ns)"] == str(expected["max"])
    check_real(row[prefix + "StdDev (ns)"], expected["deviation"], 1)


def check_summary(rows, groups, count, key):
    """Rows of times against groups; `key` finds a row's group."""
    everything = sum(time(item) for items in groups.values() for item in items)
    assert sorted(map(key, rows)) == sorted(groups)
    totals = [int(row["Total Time (ns)"]) for row in rows]
    assert totals == sorted(totals, reverse=True)
    for row in rows:
        expected = statistics([time(item) for item in groups[key(row)]])
        assert row["Total Time (ns)"] == str(expected["total"])
        assert row[count] == str(expected["count"])
        check_real(row["Time (%)"], 100.0 * expected["total"] / everything, 1)
        check_times(row, expected)


def test_headings_are_those_of_nsys_and_xprof(trace):
    for name, heading in HEADINGS.items():
        with open(trace.folder / f"{name}.csv", "rb") as file:
            assert file.readline() == heading.encode() + b"\n"
    if trace.kind != "varied":
        written = {path.name for path in trace.folder.iterdir()} - {"sample.json"}
        assert written == {f"{name}.csv" for name in HEADINGS}


def test_without_a_gpu_its_tables_have_only_headings(trace):
    for name in GPU_TABLES:
        assert (read(trace, name) == []) == (trace.kind == "cpu")


def test_kernels(trace):
    check_summary(read(trace, "cuda_gpu_kern_sum"), group(trace.kernels(), "name"), "Instances",
                  lambda row: (row["Name"],))


def test_calls_of_the_api(trace):
    calls = [call for call in trace.calls if call["kind"] in (RUNTIME, DRIVER)]
    if trace.kind != "cpu":
        assert {SYNCHRONIZE, OVERHEAD} <= {call["kind"] for call in trace.calls}
    check_summary(read(trace, "cuda_api_sum"), group(calls, call_name), "Num Calls",
                  lambda row: (row["Name"],))


def test_times_of_copies(trace):
    check_summary(read(trace, "cuda_gpu_mem_time_sum"), group(trace.copies(), "name"), "Count",
                  lambda row: (row["Operation"],))


def test_sizes_of_copies(trace):
    groups = group(trace.copies(), "name")
    rows = read(trace, "cuda_gpu_mem_size_sum")
    assert sorted(row["Operation"] for row in rows) == sorted(name for name, in groups)
    totals = [float(row["Total (MB)"]) for row in rows]
    assert totals == sorted(totals, reverse=True)
    for row in rows:
        expected = statistics([op["bytes"] for op in groups[row["Operation"],]])
        assert row["Count"] == str(expected["count"])
        for column, name in [("Total", "total"), ("Avg", "mean"), ("Med", "median"), ("Min", "min"),
                             ("Max", "max"), ("StdDev", "deviation")]:
            check_real(row[f"{column} (MB)"], expected[name] / 1e6, 3)


def test_regions(trace):
    rows = read(trace, "nvtx_sum")
    assert {row["Style"] for row in rows} == {"PushPop"}
    check_summary(rows, group(trace.regions(), lambda span: "cubeswe:" + span["name"]), "Instances",
                  lambda row: (row["Range"],))


def test_regions_projected_on_the_gpu(trace):
    projections = {index: trace.projection(index) for index, span in enumerate(trace.spans)
                   if span["kind"] != THREAD and trace.projection(index) is not None}
    groups = group(projections, lambda index: "cubeswe:" + trace.spans[index]["name"])
    rows = read(trace, "nvtx_gpu_proj_sum")
    assert sorted(row["Range"] for row in rows) == sorted(name for name, in groups)
    totals = [int(row["Total Proj Time (ns)"]) for row in rows]
    assert totals == sorted(totals, reverse=True)
    for row in rows:
        indices = groups[row["Range"],]
        expected = statistics([projections[k][1] - projections[k][0] for k in indices])
        ops = sum(projections[k][2] for k in indices)
        children = sum(trace.spans[k]["parent"] in indices for k in projections)
        assert row["Style"] == "PushPop"
        assert row["Total Proj Time (ns)"] == str(expected["total"])
        assert row["Total Range Time (ns)"] == str(sum(time(trace.spans[k]) for k in indices))
        assert row["Range Instances"] == str(len(indices))
        check_times(row, expected, "Proj ")
        assert row["Total GPU Ops"] == str(ops)
        check_real(row["Avg GPU Ops"], ops / len(indices), 1)
        check_real(row["Avg Range Lvl"],
                   sum(trace.spans[k]["depth"] for k in indices) / len(indices), 1)
        check_real(row["Avg Num Child"], children / len(indices), 1)


MEMORY_KINDS = ["Unknown", "Pageable", "Pinned", "Device", "Array", "Managed"]
LAUNCH = ["GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd"]


def check_launch(row, op):
    assert [row[column] for column in LAUNCH] == [
        str(value) for value in [*op["grid"], *op["block"], op["registers"]]]
    check_real(row["StcSMem (MB)"], op["static_shared"] / 1e6, 3)
    check_real(row["DymSMem (MB)"], op["dynamic_shared"] / 1e6, 3)
    assert row["Bytes (MB)"] == row["Throughput (MB/s)"] == ""
    assert row["SrcMemKd"] == row["DstMemKd"] == ""


def check_transfer(row, op):
    assert {row[column] for column in [*LAUNCH, "StcSMem (MB)", "DymSMem (MB)"]} == {""}
    check_real(row["Bytes (MB)"], op["bytes"] / 1e6, 3)
    if time(op) > 0:
        check_real(row["Throughput (MB/s)"], 1e3 * op["bytes"] / time(op), 3)
    else:
        assert row["Throughput (MB/s)"] == ""
    memory = ((MEMORY_KINDS[op["to"]], "") if op["kind"] == FILL
              else (MEMORY_KINDS[op["from"]], MEMORY_KINDS[op["to"]]))
    assert (row["SrcMemKd"], row["DstMemKd"]) == memory


def test_every_operation_of_the_gpu(trace):
    rows = read(trace, "cuda_gpu_trace")
    assert len(rows) == len(trace.ops)
    if trace.kind == "varied":
        assert any(op["kind"] == COPY and time(op) == 0 for op in trace.ops)
    device = "GPU" if trace.kind == "varied" else "NVIDIA Sample GPU"
    for row, op in zip(rows, trace.ops):
        assert row["Start (ns)"] == str(op["start"] - trace.start)
        assert row["Duration (ns)"] == str(time(op))
        assert row["CorrId"] == str(op["correlation"])
        (check_launch if op["kind"] == KERNEL else check_transfer)(row, op)
        assert row["Device"] == f"{device} ({op['device']})"
        assert (row["Ctx"], row["GreenCtx"]) == (str(op["context"]), "")
        assert (row["Strm"], row["Name"]) == (str(op["stream"]), op["name"])


def test_kernels_by_launch(trace):
    def shared(op):
        return str(op["static_shared"] + op["dynamic_shared"])

    def sizes(name):
        return lambda op: ",".join(map(str, op[name]))

    def occupancy(op):
        return f"{op['occupancy']:.2f}" if op["occupancy"] >= 0 else ""

    groups = group(trace.kernels(), "name", lambda op: str(op["registers"]), shared, sizes("block"),
                   sizes("grid"), occupancy, "stage")
    rows = read(trace, "kernel_stats")
    columns = HEADINGS["kernel_stats"].split(",")[1:8]
    assert sorted(tuple(row[c] for c in columns) for row in rows) == sorted(groups)
    assert [row["rank"] for row in rows] == [str(k + 1) for k in range(len(rows))]
    totals = [float(row["total_duration_us"]) for row in rows]
    assert totals == sorted(totals, reverse=True)
    for row in rows:
        expected = statistics([time(op) for op in groups[tuple(row[c] for c in columns)]])
        assert row["occurrences"] == str(expected["count"])
        for column, name in [("total", "total"), ("avg", "mean"), ("min", "min"), ("max", "max")]:
            check_real(row[f"{column}_duration_us"], expected[name] / 1e3, 3)


def check_counters(row, parts):
    columns = HEADINGS["cpu_thread_sum"].split(",")[11:16]
    for column, name in zip(columns, COUNTERS):
        measured = [p["counts"][name] for p in parts if p["counts"][name] >= 0]
        assert row[column] == (str(sum(measured)) if measured else ""), column
    both = [p["counts"] for p in parts
            if p["counts"]["instructions"] >= 0 and p["counts"]["cycles"] >= 0]
    if both:
        check_real(row["Instructions per Cycle"],
                   sum(c["instructions"] for c in both) / sum(c["cycles"] for c in both), 3)
    else:
        assert row["Instructions per Cycle"] == ""


def test_threads(trace):
    groups = group(trace.parts(), "name", "thread")
    stages = group(trace.regions(), "name")
    rows = read(trace, "cpu_thread_sum")
    order = [(row["Stage"], [t["name"] for t in trace.threads].index(row["Thread"])) for row in rows]
    assert order == sorted(groups)
    for row, (stage, thread) in zip(rows, order):
        expected = statistics([time(part) for part in groups[stage, thread]])
        totals = [sum(map(time, parts)) for (name, _), parts in groups.items() if name == stage]
        assert row["Total Time (ns)"] == str(expected["total"])
        assert row["Instances"] == str(expected["count"])
        check_times(row, expected)
        check_real(row["Share of Stage (%)"],
                   100.0 * expected["total"] / sum(map(time, stages[stage,])), 1)
        check_real(row["Imbalance"], max(totals) / (sum(totals) / len(totals)), 3)
        check_counters(row, groups[stage, thread])
