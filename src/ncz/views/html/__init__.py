"""A description of a dataset as one HTML page, which needs neither scripts nor other files.

`parts` are the records of what is on the page, `page` prints them, `style` is its appearance, and
`png`, `charts` and `text` make pictures, drawings and escaped texts. Door: `page.print_page`.
"""
