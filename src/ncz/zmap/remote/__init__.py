"""Remote stores: S3, HTTP, and every file system of fsspec.

`requests` has the base class for a server, of which `web`, `obstore`, `s3fs` and `fsspec` derive
theirs; `retries` repeats requests. `store` and `creation` make zmaps of it, with `listing` and
`prefetch`, and `opening` opens and creates them, remote zip files too.

May import: zmap, errors. Entry point: `opening.REMOTE`.
"""
