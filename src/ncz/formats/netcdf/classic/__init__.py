"""netCDF files of a classic format: CDF-1, CDF-2 or CDF-5.

Entry points: `reader.read_classic`, and `writer.plan_file` with `writer.create_classic`.
"""
