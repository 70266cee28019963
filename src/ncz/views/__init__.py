"""Forms of a dataset other than CDL: JSON, NcML, a short summary, HTML and pictures.

Entry points: `json.writer.print_json`, `json.reader.read_json`, `ncml.print_ncml`,
`summary.print_summary`, `html.print_page`, and `notebook` for open datasets in a notebook.
`png` and `terminal_picture` draw values. The package does not depend on `cdl`.
"""
