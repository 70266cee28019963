"""Measurements of run time and memory: ``make bench``, and ``make bench QUICK=1``.

`run` is the program. `rows` has a module of measurements for each subject; `row` runs ncz and its
peer alternately; `figures` keeps the last ratios. `programs` are the peers that are written in
Python.
"""
