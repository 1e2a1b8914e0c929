"""The kinds of jobs, one per file: what can be asked for, and the command that does it."""
