"""Remote stores as zmaps: S3, http(s), and every file system that fsspec knows.

`objects` is the protocol of one server, `http`, `filesystem` and `s3` fulfil it, and `store` and
`creation` make a zmap of any of them, with retries and prefetch.

May import: zmap, errors. Doors: `opening.open_remote`, `opening.create_remote`.
"""
