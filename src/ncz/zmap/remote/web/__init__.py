"""The files of web servers, read with urllib3.

`connections` makes requests, `response` and `body` read what a server sends, and `environment`
finds proxies and passwords.

May import: zmap, errors. Entry point: `objects.HttpObjects`.
"""
