"""Supported layouts of a folder of recordings. The first one in which a recording has a text is read."""

from voxmatrix.dataset.layouts import below, json_lines, metadata_csv, pairs, tables

LAYOUTS = (metadata_csv.LAYOUT, json_lines.LAYOUT, pairs.LAYOUT, tables.LAYOUT, below.LAYOUT)
