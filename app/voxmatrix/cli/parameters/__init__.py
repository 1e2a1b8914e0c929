"""Parameters that several commands share, and where their values come from."""
