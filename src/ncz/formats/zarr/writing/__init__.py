"""Write a dataset to a new store.

`plan` decides the storage of a dataset, with `array_planner` for each variable, and finds losses.
`writer` writes it, with the documents of `writer_v2` or `writer_v3`. `target` is a new store at a
location.
"""
