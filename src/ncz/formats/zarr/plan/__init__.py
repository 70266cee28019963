"""How a dataset will be stored as Zarr, decided before anything is written.

`store` plans the whole dataset, `planner` one variable, and `array` is the plan of one variable.
`losses` finds what Zarr V2 cannot hold, and `changes` what a copy does not keep of its source.

May import: mapping, document, array, element, json, options, nczarr, model, errors.
Entry points: `store.plan_dataset`, `changes`.
"""
