"""The command aggregate: a master over files that exist, or again over pieces of a lost one.

Entry points: `command.aggregate`, `options.AggregateOptions`, `relocation.move`.
"""
