"""Joins of datasets: one rule for ``copy --concat``, ``copy --append`` and ``aggregate``.

The first dataset determines the form. An `agreement.Agreement` finds the differences of the others,
and converts values where possible. `axis_order.arrange` finds the order of all values along the
dimension. Only coordinates, and values whose range is packed, are read.

Other packages call `concatenation.concatenate` and `merge.merge`. A command that writes joined
datasets in its own way uses `concatenation.Join` or `agreement.Agreement`.
"""
