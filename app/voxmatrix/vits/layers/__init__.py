"""Layers and functions shared by the networks of a voice."""
