"""Chains of random commands over random datasets, whose end is compared with what numpy holds.

`datasets` draws a dataset and writes it with netCDF4, `steps` has the commands, and `readers` reads
the end with other programs. ``make chains CHAINS=2000`` tries many; ``make test`` a few.
"""
