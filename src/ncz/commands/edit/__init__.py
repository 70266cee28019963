"""edit: change attributes of an existing store.

`request` parses what is asked for, and `attributes` applies it to the attributes of a node. Entry
point: `command.edit`.
"""
