"""The forms in which masters describe their pieces, one module each.

`kinds` has what a form must provide, `table` all forms.
"""
