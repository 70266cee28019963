"""Faults at every operation of a command in turn: of the disk, and of a server.

`disk` and `server` inject them, `judge` decides whether what a command left is right, and `table`
runs everything and writes the figures.
"""
