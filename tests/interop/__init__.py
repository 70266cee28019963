"""Stores in other programs before and after ncz: 50 kinds, 2 formats, 12 targets.

`kinds` are the contents, written by xarray and zarr-python; `targets` are the forms that ncz makes
of them; `readers` are the programs that read both; `cells` compares their results; `table` is the
command line. `limits` names known differences, and `record.json` has the last run. `examples`
is the matrix of writers and readers of cdl_examples, and `peers` are readers in separate
environments.
"""
