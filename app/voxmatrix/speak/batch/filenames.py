"""Turn ids of texts into portable file names, which cannot leave their folder or name a device."""

import re
import unicodedata

#: Characters that Windows or Unix forbids in names, and lone surrogates, which stand for undecodable bytes.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\ud800-\udfff]')
#: Names of devices on Windows, with any extension.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)", re.IGNORECASE)
#: File systems allow 255 bytes, which include the extension and the suffix of temporary files.
MAX_BYTES = 200


def safe_name(id: str) -> str:
    """A file name without extension for an id; "" if nothing is left of it.

    Different ids can give the same name: compare them with `same_file`.
    """
    name = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", id.strip()))
    name = name.encode()[:MAX_BYTES].decode(errors="ignore").rstrip(". ")
    if name.startswith("."):  # hidden, or the parent folder
        name = "_" + name[1:]
    return "_" + name if _DEVICES.match(name) else name


def same_file(name: str) -> str:
    """A key that is equal for names that some file systems do not distinguish."""
    return unicodedata.normalize("NFC", name).casefold()
