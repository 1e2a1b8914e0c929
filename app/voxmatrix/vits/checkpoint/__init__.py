"""Read and write checkpoints (ours and Piper's), and copy weights into another voice."""
