"""Work on several cores: threads for chunks, forked processes for text.

May import: errors. Doors: `threads.ThreadPool`, `processes.in_order`, `cores.cores`.
"""
