"""Finished speech to an audiobook: sound files with chapters, subtitles, an EPUB to read along, the certificate."""
