"""The chosen device in torch: opened, watched, and what to do when its memory runs out."""
