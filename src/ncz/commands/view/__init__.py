"""The view command: pictures of variables.

`scene` chooses the axes of a picture and reads its values, and `command` has the options.
"""
