"""Models that need packages of their own: each in an environment and a process of its own."""
