"""The version of ncz. The build reads it from here, and so does everything that reports it."""

__version__ = "0.1.0"
