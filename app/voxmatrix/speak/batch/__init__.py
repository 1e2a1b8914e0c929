"""Speak many texts into many files, in several processes."""
