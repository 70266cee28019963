"""Remote stores: S3, HTTP, and every file system of fsspec.

`objects` has the protocol of one server, which the packages `fsspec` and `s3` fulfil. `store` and
`creation` make zmaps of it, with `requests` (retries, threads), `listing`, `prefetch` and
`uploads`. `file` reads a single remote file, and `zip` reads and writes remote zip files.

May import: zmap, errors. Entry point: `opening.REMOTE`.
"""
