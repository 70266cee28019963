"""A syntax tree to a dataset: what each name refers to, and the length of each unlimited dimension.

`resolver` walks the declarations, `names` finds what a name refers to, `types` and `attributes`
make types and attributes, `special` reads storage attributes, `data` indexes data lists, and
`build` makes the dataset.

May import: the other packages of `cdl.parse`, text, model, errors. Entry point: `resolver.resolve`.
"""
