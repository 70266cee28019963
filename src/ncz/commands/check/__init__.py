"""check: find what is wrong or suspicious in a store.

`command` runs the checks: `documents`, `consolidation` and `links` look at metadata, `contents`
reads the store as ncz does, `readers` knows other programs, and `survey`, `chunks`, `references`
and `zip_entries` look at keys and bytes. `repairs` mends documents, and `finding` has the table of
all codes. Entry point: `command.check`.
"""
