"""The command append, which is ``copy --append``: a store becomes longer along a dimension.

Entry points: `command.append`, `additions.Addition`.
"""
