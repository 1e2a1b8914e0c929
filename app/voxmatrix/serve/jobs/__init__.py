"""Long work in the background: each job is a voxmatrix command in a process of its own."""
