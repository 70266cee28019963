"""check: find what is wrong or suspicious in a store.

`command` runs the checks, each of which has a module: `reading` (what the reader reports),
`documents` (metadata documents), `keys` (every key of the store, and the census of chunks),
`consolidated`, `data` (chunks), `archive` (zip files) and `readers` (what other programs read).
`finding` has the table of all codes. Entry point: `command.check`.
"""
