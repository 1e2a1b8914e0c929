"""Long recordings and their texts to short clips: where to cut, which words each clip has, what is left out and why."""
