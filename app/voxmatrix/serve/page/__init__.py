"""The web page: static files, and the few facts that it needs of the server."""
