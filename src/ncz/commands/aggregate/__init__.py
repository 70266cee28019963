"""The command aggregate: create a master for existing files, or recreate a lost one.

Entry points: `command.aggregate`, `options.AggregateOptions`, `relocation.move`.
"""
