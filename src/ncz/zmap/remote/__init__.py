"""Remote stores: S3, HTTP, and every file system of fsspec.

`requests` has the protocol of one server, which the packages `web`, `s3` and `fsspec` fulfil, with
retries, threads and uploads. `store` and `creation` make zmaps of it, with `listing` and
`prefetch`. `file` reads a single remote file, and `zip` reads and writes remote zip files.

May import: zmap, errors. Entry point: `opening.REMOTE`.
"""
