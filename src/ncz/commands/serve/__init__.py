"""The serve command: datasets of any kind as pure Zarr over HTTP.

`command` opens the datasets and starts the `server`; `store_site` answers requests for objects, and
`access` decides which requests are answered, by this `site` and by the viewer's.
"""
