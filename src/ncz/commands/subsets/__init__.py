"""Parts of a dataset: ``--isel`` and ``--sel``, ``--vars`` and ``--exclude``.

`coordinates` finds the variable whose values a selection means, `limits` parses the values, and
`values` finds their indices; `longitudes` turns those that are selected across the seam of the
circle. `variables` chooses variables. Entry points: `selection.Subset` and `selection.selected`.
"""
