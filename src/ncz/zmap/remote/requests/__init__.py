"""Requests to an object store, whatever library makes them.

`objects` is the protocol of one server, which makes one request at a time. `retries` repeats failed
requests and makes many at a time, and `uploads` sends objects in the background. `errors` says what
a failure means, and `integrity` compares objects with the server's checksums.
`watching` tells a progress bar of each request.

May import: zmap, errors. Entry points: `objects.RemoteObjects`, `retries`, `uploads`,
`watching`.
"""
