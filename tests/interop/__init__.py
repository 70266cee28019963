"""Stores in other programs before and after ncz: 50 kinds, 2 formats, 12 targets.

`kinds` are the contents, written by xarray and zarr-python; `targets` are the forms to which ncz
takes them; `readers` are the programs that look at both ends; `cells` compares what they see;
`table` is the command line. `limits` names what cannot be the same, and `record.json` has the last
run. `examples` is the matrix of writers and readers of cdl_examples, and `peers` are readers in
environments of their own.
"""
