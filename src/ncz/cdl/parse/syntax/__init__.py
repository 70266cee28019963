"""CDL text to a syntax tree: the grammar of the declarations.

May import: text, model, errors. Entry point: `parser.parse_syntax`. The other packages of
`cdl.parse` also use `nodes` and `lexical`.
"""
