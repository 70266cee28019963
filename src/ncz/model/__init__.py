"""The netCDF data model: plain values that know neither formats, text nor storage."""
