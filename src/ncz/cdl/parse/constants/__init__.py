"""The constants of CDL and the values that they become, one at a time.

`constant` parses one constant, `convert` converts it to an atomic type, `items` parses a short data
list with its braces, and `values` converts its items to any type.

May import: syntax, text, model, errors.
"""
