"""add: variables, groups and attributes that become part of an existing dataset.

`parts` finds out what is new, and `command` writes it as one change.
"""
