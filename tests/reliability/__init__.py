"""What ``make reliability`` runs: faults, signals, bombs and damaged files, and their figures.

`rows` has the rows of each table and what each of them runs, `work` runs them in processes of their
own, and `page` keeps the tables in docs/development/reliability.md. `bombs` and `damage` make
hostile and damaged stores, which ncz and its peers read.
"""
