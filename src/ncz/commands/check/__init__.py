"""check: find what is wrong or suspicious in a store.

`command` runs the checks: `documents` those of metadata documents, of what the reader reports and
of what other programs read, and `keys` those of every key of the store, of chunks and of zip files.
`finding` has the table of all codes. Entry point: `command.check`.
"""
