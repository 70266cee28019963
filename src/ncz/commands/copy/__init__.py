"""The command copy: options, source, plan, execution, a Dask cluster, and verification.

May import: everything but cli and api. Entry points: `command.copy`, `joined_copy.concat`,
`joined_copy.merge`, `options.CopyOptions`, `reshape_options.Reshape`, `plan.CopyPlan`.
"""
