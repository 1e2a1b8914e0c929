"""The package document of the author, as that of an EPUB 3 with a media overlay."""

import posixpath
import re
from collections.abc import Callable, Mapping
from xml.sax.saxutils import quoteattr

from lxml import etree

from voxmatrix.book.join.overlay.smil import XML, Overlay, clock, relative
from voxmatrix.book.read.markup import attribute, children, local_name

OPF = "http://www.idpf.org/2007/opf"
DC = "http://purl.org/dc/elements/1.1/"
ACTIVE_CLASS = "-epub-media-overlay-active"
SMIL_TYPE = "application/smil+xml"
#: EPUB requires a date of modification; one that never changes keeps the bytes the same.
MODIFIED = "1980-01-01T00:00:00Z"
#: Sound that EPUB 3 requires of readers.
MEDIA_TYPES = {"mp3": "audio/mpeg", "m4a": "audio/mp4"}
#: The name of who speaks, of an element that shows their sentence; it is no text of the book.
SPEAKER = "data-speaker"
STYLE = (
    f".{ACTIVE_CLASS} {{ background-color: #fff3b0; color: #000; }}\n"
    f'[{SPEAKER}]::before {{ content: attr({SPEAKER}) ": "; font-size: smaller; font-weight: bold; }}\n'
)
_OF_OVERLAYS = ("media:duration", "media:active-class")


def container(package: str) -> str:
    """The file that names the package document."""
    return (
        f'{XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>'
        f'<rootfile full-path={quoteattr(package)} media-type="application/oebps-package+xml"/></rootfiles>\n'
        "</container>\n"
    )


class AuthorsPackage:
    """A package document that is changed: `root`, the name of its file, and its items by the files that they name."""

    def __init__(self, root: etree._Element, path: str, find: Callable[[str], str | None]) -> None:
        self.root, self.path = root, path
        self.folder = posixpath.dirname(path)
        self.metadata = self._part("metadata", 0)
        self.manifest = self._part("manifest", 1)
        self.items: dict[str, etree._Element] = {}
        for item in children(self.manifest, "item"):
            if file := find(attribute(item, "href")):
                self.items.setdefault(file, item)
        self._ids = {str(found) for element in root.iter() if (found := element.get("id"))}

    def _part(self, name: str, place: int) -> etree._Element:
        found = next((element for element in self.root if local_name(element) == name), None)
        if found is None:
            found = self.root.makeelement(f"{{{OPF}}}{name}")
            self.root.insert(place, found)
        return found

    @property
    def version(self) -> str:
        """Of EPUB, e.g. 2.0."""
        return self.root.get("version") or ""

    def free_id(self, wanted: str) -> str:
        """An id that no element has, for one that is to be added."""
        while wanted in self._ids:
            wanted += "_"
        self._ids.add(wanted)
        return wanted

    def add_item(self, name: str, media_type: str, **more: str) -> str:
        """Add a file, and give the id of its item."""
        identity = self.free_id(re.sub(r"\W", "-", f"read-along-{posixpath.basename(name)}"))
        item = etree.SubElement(self.manifest, f"{{{OPF}}}item", id=identity)
        item.attrib.update({"href": relative(name, self.folder), "media-type": media_type, **more})
        return identity

    def add_property(self, item: etree._Element, name: str) -> None:
        """Say what a file is, or what is in it."""
        said = (item.get("properties") or "").split()
        if name not in said:
            item.set("properties", " ".join([*said, name]))

    def add_meta(self, name: str, text: str, **more: str) -> None:
        """Add a property of the book, or of what `refines` names."""
        meta = etree.SubElement(self.metadata, f"{{{OPF}}}meta", property=name, **more)
        meta.text = text

    def without_overlays(self) -> list[str]:
        """Remove the overlays that the book has; their files are returned."""
        removed = [file for file, item in self.items.items() if item.get("media-type") == SMIL_TYPE]
        for file in removed:
            self.manifest.remove(self.items.pop(file))
        for item in self.items.values():
            item.attrib.pop("media-overlay", None)
        for meta in list(self.metadata):
            if meta.get("property") in _OF_OVERLAYS:
                self.metadata.remove(meta)
        return removed

    def add_overlays(self, files: Mapping[str, Overlay], rate_hz: int) -> None:
        """Add overlays by the names of their files, with their lengths."""
        for name, overlay in files.items():
            identity = self.add_item(name, SMIL_TYPE)
            self.items[overlay.document].set("media-overlay", identity)
            self.add_meta("media:duration", clock(overlay.samples, rate_hz), refines=f"#{identity}")
        self.add_meta("media:duration", clock(sum(one.samples for one in files.values()), rate_hz))
        self.add_meta("media:active-class", ACTIVE_CLASS)
        if not any(meta.get("property") == "dcterms:modified" for meta in self.metadata):
            self.add_meta("dcterms:modified", MODIFIED)

    def serialised(self) -> bytes:
        """The document as XML."""
        # Else what was added has a prefix where the author declares one for the same namespace.
        etree.cleanup_namespaces(self.root, top_nsmap={None: OPF})
        data: bytes = etree.tostring(self.root.getroottree(), encoding="UTF-8", xml_declaration=True)
        return data
