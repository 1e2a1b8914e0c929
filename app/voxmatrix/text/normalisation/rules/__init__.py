"""The rules of text normalisation, a file for each kind of things; each is text to text."""
