"""Programs for maintaining this repository. The app never imports them."""
