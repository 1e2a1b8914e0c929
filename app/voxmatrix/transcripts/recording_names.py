"""The names of recordings: their suffixes and ids."""

import os

#: What soundfile reads, likeliest first: `id|text` names no ending and takes the first that is there.
SOUND_SUFFIXES = (
    *(".wav", ".flac", ".ogg", ".opus", ".mp3", ".oga", ".aiff", ".aif", ".aifc", ".au", ".snd", ".caf", ".w64"),
    *(".rf64", ".wave", ".voc", ".sph", ".nist"),
)
#: Sound as well, which soundfile does not read: found, so that it can be reported.
OTHER_SUFFIXES = (".m4a", ".aac", ".mp4", ".wma", ".webm", ".amr", ".mka", ".mpeg", ".3gp")
SUFFIXES = frozenset((*SOUND_SUFFIXES, *OTHER_SUFFIXES))


def suffix_of(name: str) -> str:
    """The ending of a file's name in small letters, with its dot."""
    return os.path.splitext(name)[1].lower()  # noqa: PTH122  a third of pathlib's time, for each recording


def identity(relative: str) -> str:
    """The id of a recording: its path below the folder without the ending."""
    return relative.rpartition(".")[0] if suffix_of(relative) in SUFFIXES else relative
