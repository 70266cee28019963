"""Changes of names in a store on a server: `apply` carries them out, `journal` completes them.

May import: zmap, parallel, errors, record.
"""
