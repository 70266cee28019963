"""Tests of the xarray engine."""
