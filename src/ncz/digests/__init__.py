"""Digests of datasets: numbers that depend only on names, types, shapes, attributes and values.

docs/reference/digest.md specifies them. `weights` has the weight of a place, `words` the bits of
values, `sums` weighs words, `variable` reads the values of a variable once, and `dataset` makes one
digest of all.

May import: model, parallel and the layers below them. Entry points: `variable.variable_sums`,
`dataset.dataset_digests`.
"""
