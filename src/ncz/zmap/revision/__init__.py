"""Changes of several objects of an existing store, all of them or none.

`journal` records what remains to be done, so that `ncz clean` can complete it after the process was
killed. `documents` replaces metadata documents, and `names` changes the names of groups and arrays
on a server.

May import: zmap, errors, record.
"""
