"""The matrix of writers and readers of cdl_examples: each reader sees the same dataset.

`writers` and `readers` are the programs, `view` is the form of what they see; `between` has the
cells without ncz; `limits` names what programs cannot do; `table` writes the page.
"""
