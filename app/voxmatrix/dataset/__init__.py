"""Find, check and cache recordings for training. Does not import torch."""
