"""Parts of a dataset: ``--isel`` and ``--sel``, ``--vars`` and ``--exclude``.

`coordinates` finds the variable whose values a selection means, `spelling` has its text, and
`values` finds their indices; `longitudes` converts the ones selected across the seam of the
circle. `variables` chooses variables. Entry point: `selection.select_part`.
"""
