"""ls: list the keys of a store and print objects, as netCDF's zmapio does.

Keys are found by searching only, so that a broken store can be listed too; only decoding needs the
format. A netCDF file is listed as groups, variables and their chunks. Keys are shown with a leading
slash.

`select` finds keys, `roles` says what they are, `contents` prints an object, `totals` adds sizes
up, `known` lists what consolidated metadata describes, and `objects` prints as zmapio does. Entry
points: `command.ls`, `contents.cat`, `totals.totals` and `objects.objects`.
"""
