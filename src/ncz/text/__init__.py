"""Parts that CDL, JSON, NcML and the summary share. They do not depend on formats or storage.

`format_numbers` formats arrays, `format_values` single values and `names` names, in the notation of
ncdump; `names` also chooses variables by name. `parse_numbers` parses numbers, and `blocks`
lists where the values of a long list are. `times` converts
times of CF to dates, and `source` locates errors in a text.

May import: model, errors.
"""
