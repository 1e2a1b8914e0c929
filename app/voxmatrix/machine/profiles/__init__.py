"""What was measured on a kind of device, kept in VOXMATRIX_HOME and exchanged as files."""
