"""The names of a syntax tree resolved to the groups, dimensions and variables of a dataset.

Entry point: `resolver.resolve`.
"""
