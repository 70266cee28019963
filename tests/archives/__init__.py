"""Archives like those of well-known projects, small, joined by ncz and by xarray."""
