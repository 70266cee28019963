"""Joins of datasets: one rule for ``copy --concat``, ``copy --append`` and ``aggregate``.

The first dataset gives the form: an `agreement.Agreement` finds what the others do not agree on,
and converts what can be converted. `ordering.arranged` finds the order of all values along the
dimension. Nothing of a variable is read but what a coordinate, or the range of packed values,
needs.

Other packages call `concatenation.concatenated` and `merging.merged`. A command that writes joined
datasets in its own way uses `concatenation.Joining` or `agreement.Agreement`.
"""
