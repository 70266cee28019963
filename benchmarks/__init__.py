"""Measurements of run time and memory: ``make bench``, and ``make bench QUICK=1``.

`run` is the program. `rows` yields what is measured, a module for each subject; `row` runs ncz and
its peer in turns; `figures` keeps the last ratios. `programs` are the peers that are Python.
"""
