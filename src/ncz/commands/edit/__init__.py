"""edit: change attributes and names of an existing store.

`request` parses the edits. Entry point: `command.edit`.
"""
