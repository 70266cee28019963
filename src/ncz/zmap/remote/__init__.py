"""Remote stores: S3, HTTP, and every file system of fsspec.

`object_store` has the base class for a server, and `web`, `obstore`, `s3fs` and `fsspec` derive
theirs from it; `requests` repeats requests by a `retry_policy`. `store` and `creation` make zmaps
of it, with `listing` and `prefetch`, and `opening` opens and creates them, remote zip files too.

May import: zmap, errors. Entry point: `opening.REMOTE`.
"""
