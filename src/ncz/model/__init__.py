"""The netCDF data model: pure values, which know no format, no text and no storage."""
