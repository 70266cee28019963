"""The view command: pictures of variables.

`scene` chooses the axes of a picture and reads its values, `interactive` makes a page of it with
bokeh, and `command` has the options.
"""
