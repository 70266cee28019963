"""Servers that are reached through fsspec: web servers, and every other file system it knows.

May import: zmap, errors.
"""
