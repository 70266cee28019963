"""Forms of a dataset other than CDL: JSON, which `ncz gen` reads back, NcML, and a short summary.

May import: text, model, errors; not `cdl`. Entry points: `ncml.print_ncml`,
`summary.print_summary`, `json_writer.print_json`, `json_reader.read_json`.
"""
