"""Codecs: a chunk's stored bytes to and from its elements. Knows neither keys nor model."""
