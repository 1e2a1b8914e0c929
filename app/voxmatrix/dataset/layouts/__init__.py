"""The layouts that a folder of recordings may have. The first one that a folder has is read."""

from voxmatrix.dataset.layouts import json_lines, metadata_csv, pairs
from voxmatrix.dataset.layouts.layout import Layout

LAYOUTS: tuple[Layout, ...] = (metadata_csv, json_lines, pairs)
