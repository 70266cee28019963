"""Other texts of a dataset than CDL: JSON, which `ncz gen` reads back; NcML; a short summary."""
