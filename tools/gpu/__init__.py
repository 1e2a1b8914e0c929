"""Check voxmatrix on a real GPU: `./run gpu-check`."""
