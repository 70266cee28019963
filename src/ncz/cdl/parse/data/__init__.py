"""The data lists of CDL: an index of where values are, and a chunk source that parses them.

A list is indexed in one fast pass, without parsing values, so that lengths are known and too many
values are reported before anything is written. Values are parsed when their chunk is read.

May import: the other packages of `cdl.parse` except `resolve`, text, model, parallel, errors.
Entry points: `index_data.index_data`, `array.CdlArray`.
"""
