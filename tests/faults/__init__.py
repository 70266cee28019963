"""Faults at every operation of a command in turn: of the disk, and of a server.

`disk` and `server` inject them; `cases` has the commands, their sources and targets; `run` runs
them again and again; `judge` decides whether what a command left is right; and `table` does all
this and writes the figures. The tests take a sample; `make reliability` takes everything.
"""
