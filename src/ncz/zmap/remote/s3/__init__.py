"""S3: settings and credentials, and the two libraries that make the requests.

`credentials` finds the server and the credentials of a location, from `config_files` and `aliases`;
`obstore` and `s3fs` make the requests.

May import: zmap, errors. Entry points: `credentials.find_settings` and `obstore.s3_objects`.
"""
