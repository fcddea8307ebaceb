"""The calls of a step of each pipeline, as a list that is independent of the program."""

# calls of every stage in a step, of the linear equations on a non-rotating sphere
CALLS = {"fused": {"fused": 2},
         "staged": {"projection": 8, "contravariant": 4, "gradient": 4, "divergence": 4, "sat": 4,
                    "rk4": 4}}
ENDS = ["damping", "dissipation"]  # what a step may end with
STAGES = [*CALLS["staged"], "fused", *ENDS, "integrals"]  # all stages, in their order

# likewise where the sphere rotates, and of nonlinear equations, whose steps do end so
SWEPT = {"transport": 4, "flux_projection": 4, "momentum": 4}
END = {"damping": 1, "dissipation": 1}
FLOW_CALLS = {
    "non-rotating": CALLS,
    "rotating": {"fused": SWEPT, "staged": {**CALLS["staged"], "coriolis": 4}},
    "nonlinear": {"fused": {**SWEPT, **END},
                  "staged": {**CALLS["staged"], **END, "projection": 16,
                             "bernoulli": 4, "vorticity": 4, "coriolis": 4}}}
ALL_STAGES = ["projection", "contravariant", "bernoulli", "vorticity", "gradient", "coriolis",
              "divergence", "sat", "rk4", "forcing", "wind", "viscosity", "fused", "transport", "flux_projection", "momentum", "tracer", "limiter", *ENDS,
              "integrals"]


def stages_of(flow):
    """All stages that are active in a flow, in their order."""
    forced = ["forcing", "viscosity"] if flow != "non-rotating" else []  # where a case has such terms
    forced += ["wind"] if flow == "nonlinear" else []
    serve = {*ENDS, *forced, "integrals", "projection"}.union(*FLOW_CALLS[flow].values())
    return [stage for stage in ALL_STAGES if stage in serve]


# kernels that every stage launches
KERNELS = {"projection": ["projection_kernel"], "contravariant": ["cross_kernel", "flux_kernel"],
           "bernoulli": ["bernoulli_kernel"],
           "vorticity": ["mean_kernel", "shear_kernel", "vorticity_kernel"],
           "gradient": ["gradient_kernel"],
           "coriolis": ["pv_flux_kernel", "project_pv_flux_kernel", "accelerate_kernel"],
           "divergence": ["divergence_kernel"], "sat": ["consensus_kernel", "exchange_kernel"],
           "rk4": ["rk4_kernel"], "forcing": ["forcing_kernel"], "wind": ["wind_kernel"],
           "viscosity": ["viscous_flow_kernel", "viscous_force_kernel", "viscous_add_kernel", "viscous_scalar_kernel", "viscous_add_scalar_kernel"],
           "fused": ["fused_kernel", "march_kernel", "average_kernel", "complete_kernel"],
           "transport": ["transport_kernel"], "flux_projection": ["flux_projection_kernel"], "momentum": ["momentum_kernel"],
           "tracer": ["concentration_kernel", "tracer_flux_kernel", "limiter_flux_kernel", "tracer_kernel"],
           "limiter": ["antidiffusive_kernel", "limiter_divergence_kernel", "limiter_parts_kernel", "limited_kernel"],
           "damping": ["change_kernel", "damping_kernel"],
           "dissipation": ["flow_kernel", "project_flow_kernel", "force_kernel", "project_force_kernel",
                           "slow_kernel"],
           "integrals": ["integrals_kernel", "field_integrals_kernel"]}
# launches of a stage's kernels in a step: of smaller panels, and of those that a GPU marches over
LAUNCHES = {pipeline: {stage: count * len(KERNELS[stage]) for stage, count in calls.items()}
            for pipeline, calls in CALLS.items()}
LAUNCHES["fused"] = {"fused": 2 * 2 + 1}
LAUNCHES_OF_MARCHES = {"fused": 2 * 3 + 1}

# regions of a step, each with what is within it
RHS = ["projection", "contravariant", "gradient", "divergence", "sat", "projection"]
PARTS = {"fused": [["fused"]],
         "staged": [["rhs", *([stage] for stage in RHS)], ["rk4"]]}
STEP = {pipeline: ["step", *((2 if pipeline == "fused" else 4) * parts)] for pipeline, parts in PARTS.items()}


def within(pipeline, case):
    """Sections of a case, with its pipeline."""
    return {**case, "scheme": {"pipeline": pipeline}}
