"""append: add a dataset to an existing store along a dimension.

`agree` checks that the rest of the two agrees, `plan` finds what is to be written, and `command`
writes chunks first, then all documents. Entry point: `command.append`.
"""
