"""add: variables, groups and attributes that become part of an existing dataset.

`parts` finds the new parts, and `command` writes it as one change.
"""
