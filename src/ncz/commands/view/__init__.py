"""The view command: pictures of variables.

`view_options` has the options, and `command` writes pictures as text, PNG files and pages; `scene`
reads their values, whose axes are chosen in `axes`. `server` shows a dataset in a browser:
`page_files` is what it sends, and `explorer` and `descriptions` answer each `request` of it.
`recorded_page` is the same page with answers in it, for a file.
"""
