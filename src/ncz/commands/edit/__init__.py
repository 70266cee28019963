"""edit: change attributes and names of an existing store.

`request` parses what is asked for. Entry point: `command.edit`.
"""
