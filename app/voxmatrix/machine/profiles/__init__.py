"""Measurements of device models, stored in VOXMATRIX_HOME and exchanged as files."""
