"""edit: change attributes of an existing store.

`request` parses what is asked for, `attributes` applies it to the attributes of a node, and
`rewriting` writes changed documents to a store, all of them or none. Entry point: `command.edit`.
"""
