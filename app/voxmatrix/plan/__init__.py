"""Decisions about a machine, each with its reason. Pure; no torch."""
