"""Words and lines of other programs, and the lines of ncz that do the same."""
