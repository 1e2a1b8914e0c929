"""The layouts that a folder of recordings may have. The first one that a folder has is read."""

from voxmatrix.dataset.layouts import json_lines, metadata_csv, pairs

LAYOUTS = (metadata_csv.LAYOUT, json_lines.LAYOUT, pairs.LAYOUT)
