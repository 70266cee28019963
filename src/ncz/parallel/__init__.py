"""Parallel work: threads for chunks, and forked processes for text.

Forks are safe, and no wait is without an end.

May import: errors. Entry points: `threads.ThreadPool`, `processors.cores`, `processes.in_order`.
"""
