"""The view command: pictures of variables.

`view_options` has the options, and `command` writes pictures as text, PNG files and pages; `scene`
reads their values, whose axes are chosen in `axes`. `server` shows a dataset in a browser:
`page_files` has its files, and `explorer` and `descriptions` answer each `request` of the page.
`recorded_page` makes a file of the page with the responses in it.
"""
