"""The serve command: datasets of any kind as pure Zarr over HTTP.

`command` opens the datasets and starts the server, `http` answers requests with tornado, and
`access` decides which requests are answered.
"""
