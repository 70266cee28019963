"""The files of web servers, read with Python's own ``http.client``, which starts quickly.

`connections` makes requests, `body` reads what a server sends, and `environment` finds proxies and
passwords.

May import: zmap, errors. Entry point: `objects.HttpObjects`.
"""
