"""Parallel work: threads for chunks, forked processes for text and for libraries that may crash.

May import: errors. Entry points: `threads.ThreadPool`, `processes.in_order`, `isolated.Isolated`,
`garbage.no_collection`, `cores.cores`.
"""
