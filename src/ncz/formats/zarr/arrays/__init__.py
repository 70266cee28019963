"""The chunks of an array: from stored bytes to values, and back."""
