"""URLs: what is wrong with one, what in it is secret, and the forms of S3.

May import: zmap.kinds, errors. Entry points: `check.fault`, `check.without_user`,
`forms.path_form`, `forms.is_s3_host`.
"""
