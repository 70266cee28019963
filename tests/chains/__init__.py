"""Chains of random commands over random datasets; the result is compared with arrays of numpy.

`datasets` draws a dataset and writes it with netCDF4, `steps` has the commands, and `readers` reads
the result with other programs. ``make chains CHAINS=2000`` tries many; ``make test`` a few.
"""
