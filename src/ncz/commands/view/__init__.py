"""The view command: pictures of variables.

`command` has the options, and writes pictures as text, PNG files and pages of bokeh; `scene` reads
their values, whose axes are chosen in `axes`. `server` shows a dataset in a browser: `page` is what
it sends, and `explorer` and `descriptions` answer each `request` of it.
"""
