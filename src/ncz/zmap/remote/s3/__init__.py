"""S3: credentials, and the two libraries that talk to it.

May import: zmap, errors.
"""
