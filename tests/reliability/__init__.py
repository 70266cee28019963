"""Faults at every operation of a command in turn, signals, bombs and damaged files.

`disk` and `server` inject faults, and `signals` ends the command there; `cases` has the commands,
their sources and targets; `run` runs them again and again; and `judge` decides whether what a
command left is right. `bombs` and `damage` make hostile and damaged stores, which ncz and its peers
read. The tests take a sample.

``make reliability`` takes everything: `rows` has the rows of each table and what each of them runs,
`work` runs them in processes of their own, and `page` keeps the tables in
docs/development/reliability.md.
"""
