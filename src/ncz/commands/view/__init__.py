"""The view command: pictures of variables.

`command` has the options, and writes pictures as text, PNG files and pages of bokeh; `scene`
chooses their axes and reads their values. `server` shows a dataset in a browser: `page` is what it
sends, and `explorer` answers what that asks.
"""
