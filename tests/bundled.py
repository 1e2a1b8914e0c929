"""The voices that come with voxmatrix."""

DEFAULT = "en_US-heart-student"
BUNDLED = (DEFAULT, "es_ES-dora-student", "fr_FR-siwis-student")
