"""Probes: each reads one source of facts about this computer and may fail without affecting the others."""
