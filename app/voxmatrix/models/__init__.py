"""The protocol that every family of voices obeys."""
