"""The images: their rows, their builds, and which of them suits a computer."""
