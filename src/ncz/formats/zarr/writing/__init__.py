"""Write a dataset to a new store.

`plan` decides how a dataset is stored, with `array_planner` for each variable, and finds what
cannot be stored. `writer` writes it, with the documents of `writer_v2` or `writer_v3`. `target` is
a new store at a location.
"""
