"""Books that are locked: their text cannot be read, and that is said before anything is tried."""

from collections.abc import Iterator

from voxmatrix.book.read.epub.archive import Archive
from voxmatrix.book.read.markup import attribute, children, descendants, parse
from voxmatrix.errors import BadInputError

_ENCRYPTION = "META-INF/encryption.xml"
#: Files that only a system for digital rights writes, with its name.
_SYSTEMS = (
    ("META-INF/rights.xml", "Adobe"),
    ("META-INF/license.lcpl", "Readium LCP"),
    ("META-INF/sinf.xml", "Apple FairPlay"),
)
#: Fonts that are only scrambled, by the IDPF's and Adobe's ways: the text is readable.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_REMEDY = (
    "read it with the program of the shop it is from, or ask the shop or the publisher for a copy without DRM; "
    "many sell both"
)


def refuse_locked(archive: Archive) -> None:
    """Check that a book is not encrypted.

    Raises:
        BadInputError: it is.
    """
    if archive.encrypted():
        remedy = "unpack it with its password, then compress it without one: unzip BOOK.epub, zip -r NEW.epub"
        raise BadInputError(f"{archive.path} is a ZIP archive with a password", remedy)
    system = next((system for name, system in _SYSTEMS if archive.find(name)), "")
    if system or any(algorithm not in _OF_FONTS for algorithm in _algorithms(archive)):
        which = f" ({system})" if system else ""
        raise BadInputError(f"{archive.path} is protected by DRM{which}: its text is encrypted", _REMEDY)


def _algorithms(archive: Archive) -> Iterator[str]:
    """How the files of the book are encrypted; an empty name if that is not said."""
    name = archive.find(_ENCRYPTION)
    if name is None:
        return
    for data in descendants(parse(archive.read(name), name), "encrypteddata"):
        methods = list(children(data, "encryptionmethod"))
        yield from (attribute(method, "Algorithm").strip() for method in methods)
        if not methods:
            yield ""
