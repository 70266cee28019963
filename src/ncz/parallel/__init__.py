"""Parallel work: threads for chunks, forked processes for text and for libraries that may crash.

`isolation` runs functions in a process that may crash. `forking`, `standstill` and `garbage` are
for all that start processes or threads: forks are safe, and no wait is without an end.

May import: errors. Entry points: `threads.ThreadPool`, `processes.in_order`,
`isolation.isolated.Isolated`, `garbage.no_collection`, `cores.cores`.
"""
