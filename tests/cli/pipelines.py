"""What a step of each pipeline is made of, as a list of its own: tests do not ask the program."""

# calls of every stage in a step
CALLS = {"fused": {"projection": 4, "fused": 4},
         "staged": {"projection": 8, "gradient": 4, "contravariant": 4, "divergence": 4, "sat": 4,
                    "rk4": 4}}
STAGES = [*CALLS["staged"], "fused", "budgets"]  # all there are, in their order

# kernels that every stage launches
KERNELS = {"projection": ["projection_kernel"], "gradient": ["gradient_kernel"],
           "contravariant": ["cross_kernel", "flux_kernel"], "divergence": ["divergence_kernel"],
           "sat": ["consensus_kernel", "exchange_kernel"], "rk4": ["rk4_kernel"],
           "fused": ["fused_kernel"], "budgets": ["budgets_kernel"]}
# launches of a stage's kernels in a step
LAUNCHES = {pipeline: {stage: count * len(KERNELS[stage]) for stage, count in calls.items()}
            for pipeline, calls in CALLS.items()}

# regions of a step, each with what is within it
RHS = ["projection", "gradient", "contravariant", "divergence", "sat", "projection"]
PARTS = {"fused": [["fused"], ["projection"]],
         "staged": [["rhs", *([stage] for stage in RHS)], ["rk4"]]}
STEP = {pipeline: ["step", *(4 * parts)] for pipeline, parts in PARTS.items()}


def within(pipeline, case):
    """Sections of a case, with its pipeline."""
    return {**case, "scheme": {"pipeline": pipeline}}
