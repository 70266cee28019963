"""Datasets in compressed files and in archives, which are read from a temporary copy.

`signs` recognises them, `streams` decompresses, `members` finds the dataset in an archive, and
`contents` makes the copy, which is removed when the dataset is closed.

May import: zmap, codec, parallel, errors. Entry points: `signs.is_archive`, `contents.contents`.
"""
