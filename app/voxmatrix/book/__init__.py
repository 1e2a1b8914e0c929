"""Books: e-book to chapters and sentences, speech to audiobook. No torch."""
