"""Write aggregations: the pieces of each variable, and the master.

`split` divides a variable, `pieces` writes its pieces, `master` and `describe` make the master, and
`target` is the plan of a copy. Entry points: `target`, and `master` for pieces that exist.
"""
