"""Single files at a location, which are not stores: datasets of other formats.

A zmap maps keys to objects. Some formats keep a whole dataset in one file instead, which is read by
ranges wherever it is. `foreign` names files by their first bytes.

May import: errors, record, and the stores of zmap. Entry point: `opening.open_file`.
"""
