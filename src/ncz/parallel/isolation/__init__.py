"""Functions that run in a process of their own, which may crash or not end.

`isolated` is the side that calls, `serving` the side that runs, `messages` what they send to each
other. `starting` makes the process: by a fork of this one, or of a `server` where threads run.

May import: errors and parallel. Entry point: `isolated.Isolated`.
"""
