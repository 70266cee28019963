"""Settings of netcdf-c and S3netCDF4 in files and in the environment.

`rc_files` reads ``.ncrc`` and ``.dodsrc``, `s3nc` reads ``.s3nc.json``, and `written` finds the
lines of settings; `notices` reports settings that have no effect in ncz.

May import: zmap, errors. Entry points: `notices.ignored_settings`, `rc_files`, `s3nc`.
"""
