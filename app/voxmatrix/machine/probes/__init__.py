"""Probes: each reads one source of facts about this computer. Every probe may fail alone."""
