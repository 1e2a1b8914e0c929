"""The locked requirements of the images, and the files they name."""
