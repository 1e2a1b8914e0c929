"""What runs first in every image: patch, check, launch."""
