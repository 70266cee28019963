"""edit: change attributes and names of an existing store.

`request` parses what is asked for, `command` applies it to attributes and `structure` to names, and
`draft` holds the documents that change. Entry point: `command.edit`.
"""
