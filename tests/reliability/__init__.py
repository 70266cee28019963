"""Faults at every operation of a command in turn, signals, bombs and damaged files.

`disk` and `server` inject faults, and `signals` ends the command there; `cases` has the commands,
their sources and targets; `run` runs them again and again; and `judge` decides whether the result
of a command is right. `bombs` and `damage` make hostile and damaged stores, which ncz and its peers
read. The tests take a sample.

``make reliability`` takes everything: `rows` has the rows of each table and their commands, `work`
runs them in separate processes, and `page` keeps the tables in docs/development/reliability.md.
"""
