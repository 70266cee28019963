"""The command copy: options, source, plan, a Dask cluster, and verification.

May import: everything but cli and api. Entry points: `command.copy`, `options.CopyOptions`,
`reshape.Reshape`, `plan.CopyPlan`.
"""
