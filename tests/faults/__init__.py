"""Faults at every operation of a command in turn: of the disk, and of a server.

`disk` and `server` inject them, and `signals` ends the command there; `cases` has the commands,
their sources and targets; `run` runs them again and again; and `judge` decides whether what a
command left is right. The tests take a sample; `tests.reliability` takes everything.
"""
