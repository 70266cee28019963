"""Servers that are reached through fsspec: every file system it knows, except web servers and S3.

May import: zmap, errors.
"""
