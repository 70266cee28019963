"""check: find what is wrong or suspicious in a store.

`command` runs the checks: its own are those of every key of the store, of chunks and of zip files;
`documents` has those of metadata documents, of what the reader reports and of what other programs
read.
`finding` has the table of all codes. Entry point: `command.check`.
"""
