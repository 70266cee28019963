"""The command copy: options, plan, execution, and a Dask cluster.

May import: everything but cli and api. Door: `command.copy`.
"""
