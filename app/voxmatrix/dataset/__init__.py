"""Recordings in any layout → checked manifest → cache. No torch."""
