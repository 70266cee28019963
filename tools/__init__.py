"""Programs for those who work on ncz; `make` calls them."""
