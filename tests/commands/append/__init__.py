"""Tests of the command append."""
