"""Ids of texts as names of files that every system takes: nothing climbs out of a folder, nothing is a device."""

import re
import unicodedata

#: What Windows or Unix does not take inside a name; lone surrogates are bytes that are no characters.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\ud800-\udfff]')
#: Windows opens a device under these names, whatever the ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)", re.IGNORECASE)
#: File systems take 255 bytes; the ending and what a file is called while it is written need some of them.
MOST_BYTES = 200


def safe_name(id: str) -> str:
    """The id as a file's name without an ending; "" when nothing is left of it.

    Two ids may come out the same: `same_file` says so.
    """
    name = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", id.strip()))
    name = name.encode()[:MOST_BYTES].decode(errors="ignore").rstrip(". ")
    if name.startswith("."):  # hidden, or the folder above
        name = "_" + name[1:]
    return "_" + name if _DEVICES.match(name) else name


def same_file(name: str) -> str:
    """A key that is the same for names which some file systems hold for one."""
    return unicodedata.normalize("NFC", name).casefold()
