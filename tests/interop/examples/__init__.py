"""The matrix of writers and readers of cdl_examples: each reader sees the same dataset.

`writers` and `readers` are the programs, and `view` is the common form of their results; `between`
has the cells without ncz; `limits` names limitations of programs; `table` writes the page.
"""
