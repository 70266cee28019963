"""The URLs of S3: Amazon's host names, and the forms of a URL that name a bucket and a key.

May import: errors. Entry points: `forms.path_form`, `forms.is_s3_host`.
"""
