"""Settings of netcdf-c in files and in the environment.

`rc_files` reads ``.ncrc`` and ``.dodsrc``; `notices` reports settings that have no effect in ncz.

May import: zmap, errors. Entry points: `notices.ignored_settings`, `rc_files`.
"""
