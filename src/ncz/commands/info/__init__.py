"""The info command: what a dataset is, how it is stored, and statistics of its values.

`command.info` is its door. May import: formats, model, parallel.
"""
