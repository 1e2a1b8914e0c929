"""VITS as plain modules, one part a file (Kim et al. 2021, arXiv 2106.06103), with the names of Piper's checkpoints."""
