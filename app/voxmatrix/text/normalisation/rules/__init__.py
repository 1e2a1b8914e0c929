"""The rules of text normalisation, a file for each class of things; each is text to text."""
