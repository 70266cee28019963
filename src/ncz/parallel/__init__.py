"""Parallel work: threads for chunks, forked processes for text.

May import: errors. Entry points: `threads.ThreadPool`, `processes.in_order`, `cores.cores`.
"""
