"""The commands as functions, which `ncz` exports and the command line calls. They do not print.

Notices go to the argument `notify`; by default they become Python warnings. The command line gives
`Callbacks` in its place. The arguments of a function are in its signature, or in a group of
`keyword_groups`.

May import: everything but cli and api.
"""
