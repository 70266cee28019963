"""Parallel work: threads for chunks, forked processes for text and for libraries that may crash.

`threads` and `processes` do many tasks at once, and `isolation` runs functions in a process that
may crash. Forks are safe, and no wait is without an end.

May import: errors. Entry points: `threads.ThreadPool`, `threads.cores`, `processes.in_order`,
`isolation.Isolated`, `isolation.no_collection`.
"""
