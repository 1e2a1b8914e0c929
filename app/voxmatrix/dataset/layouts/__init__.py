"""Supported layouts of a folder of recordings. The first one that matches is read."""

from voxmatrix.dataset.layouts import json_lines, metadata_csv, pairs

LAYOUTS = (metadata_csv.LAYOUT, json_lines.LAYOUT, pairs.LAYOUT)
