"""Make the default voice: a student of packaged teachers that may teach."""
