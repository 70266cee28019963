"""Values of a variable as numpy arrays.

`indexing` turns an index such as ``[0:10, ..., ::2]`` into positions along each axis, `reading`
reads them chunk by chunk, and `values` converts values of the model to numpy's dtypes. None of them
knows files or datasets: they use `ncz.model` and `ncz.parallel` only.
"""
