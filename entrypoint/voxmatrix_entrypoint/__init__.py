"""The entry point of the program and of every image: patch, check, launch."""
