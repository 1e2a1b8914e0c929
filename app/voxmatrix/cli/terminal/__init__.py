"""What commands draw on a terminal."""
