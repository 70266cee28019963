"""Small archives like the archives of well-known projects, joined by ncz and by xarray."""
