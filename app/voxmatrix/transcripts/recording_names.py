"""File extensions and ids of recordings."""

import os

#: Read by soundfile, most likely first: an id without an extension (`id|text`) takes the first file that exists.
SOUND_SUFFIXES = (
    *(".wav", ".flac", ".ogg", ".opus", ".mp3", ".oga", ".aiff", ".aif", ".aifc", ".au", ".snd", ".caf", ".w64"),
    *(".rf64", ".wave", ".voc", ".sph", ".nist"),
)
#: Sound that soundfile cannot read: ffmpeg decodes it.
OTHER_SUFFIXES = (".m4a", ".aac", ".mp4", ".wma", ".webm", ".amr", ".mka", ".mpeg", ".3gp")
SUFFIXES = frozenset((*SOUND_SUFFIXES, *OTHER_SUFFIXES))


def suffix_of(name: str) -> str:
    """The extension of a file name in lower case, with its dot."""
    return os.path.splitext(name)[1].lower()  # noqa: PTH122  takes a third of pathlib's time, per recording


def identity(relative: str) -> str:
    """The id of a recording: its path relative to the folder, without the extension."""
    return relative.rpartition(".")[0] if suffix_of(relative) in SUFFIXES else relative
