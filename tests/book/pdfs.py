"""PDFs for tests: lines of Courier, whose letters are all 0.6 of their size wide, at given places."""

import textwrap
from dataclasses import dataclass

A5 = (420, 595)
#: The width of a letter.
COURIER = 0.6


@dataclass(frozen=True, kw_only=True)
class Text:
    """A line of text: where it begins, how far its base line is below the top of the page, and how wide it is set."""

    text: str
    left: float
    base: float
    size: float = 10
    bold: bool = False
    #: To which its spaces are stretched; its own width if that is 0.
    width: float = 0


def lines(*texts, left=60, base=100, size=10, leading=12):
    """Lines one below the other."""
    return [Text(text=text, left=left, base=base + index * leading, size=size) for index, text in enumerate(texts)]


def paragraphs(*texts, left=60, base=100, letters=40, indent=12, size=10, leading=12):
    """Paragraphs whose lines are set to the full width, and whose first lines are indented."""
    found = []
    width = letters * COURIER * size
    for text in texts:
        wrapped = textwrap.wrap(text, letters, initial_indent="  " if indent else "", break_on_hyphens=False)
        for index, line in enumerate(wrapped):
            shift = 0 if index else indent
            full = width - shift if index + 1 < len(wrapped) else 0
            place = base + len(found) * leading
            found.append(Text(text=line.strip(), left=left + shift, base=place, size=size, width=full))
    return found


def pdf(*pages, title="", author="", language="", outline=(), count=None, pictures=()):
    """A PDF of pages of `Text`.

    Args:
        pages: the texts of each.
        title: its metadata, with `author` and `language`.
        outline: title, page from 1, and how far below its top, of each bookmark.
        count: how many pages it says that it has.
        pictures: the numbers of the pages that a picture fills.
    """
    first = 10
    kids = [first + 2 * index for index in range(len(pages))]
    marks = [first + 2 * len(pages) + index for index in range(len(outline))]
    objects = {
        1: f"<</Type/Catalog/Pages 2 0 R/Lang({language}){'/Outlines 6 0 R' if outline else ''}>>".encode(),
        2: f"<</Type/Pages/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]/Count {count or len(pages)}>>".encode(),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>",
        4: b"<</Type/Font/Subtype/Type1/BaseFont/Courier-Bold/Encoding/WinAnsiEncoding>>",
        5: f"<</Title({title})/Author({author})>>".encode("cp1252"),
        7: _stream(b"\x80", "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"),
    }
    if outline:
        objects[6] = f"<</Type/Outlines/First {marks[0]} 0 R/Last {marks[-1]} 0 R/Count {len(marks)}>>".encode()
    for index, (name, page, height) in enumerate(outline):
        following = f"/Next {marks[index + 1]} 0 R" if index + 1 < len(marks) else ""
        place = f"[{kids[page - 1]} 0 R/XYZ 0 {A5[1] - height} 0]"
        objects[marks[index]] = f"<</Title({name})/Parent 6 0 R/Dest{place}{following}>>".encode("cp1252")
    for number, (kid, texts) in enumerate(zip(kids, pages, strict=True), start=1):
        resources = "<</Font<</R 3 0 R/B 4 0 R>>/XObject<</I 7 0 R>>>>"
        objects[kid] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {A5[0]} {A5[1]}]/Contents {kid + 1} 0 R/Resources{resources}>>"
        ).encode()
        picture = f"q {A5[0]} 0 0 {A5[1]} 0 0 cm /I Do Q\n".encode() if number in pictures else b""
        objects[kid + 1] = _stream(picture + b"".join(map(_shown, texts)))
    return _file(objects)


def _stream(data, entries=""):
    return f"<<{entries}/Length {len(data)}>>stream\n".encode() + data + b"\nendstream"


def _shown(text):
    encoded = text.text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    spaces = text.text.count(" ")
    stretch = (text.width - COURIER * text.size * len(text.text)) / spaces if text.width and spaces else 0
    font = "B" if text.bold else "R"
    place = f"1 0 0 1 {text.left} {A5[1] - text.base} Tm"
    return f"BT /{font} {text.size} Tf {stretch:.3f} Tw {place} (".encode() + encoded + b") Tj ET\n"


def _file(objects):
    content, places = b"%PDF-1.7\n", {}
    for number, body in objects.items():
        places[number] = len(content)
        content += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    last = max(objects) + 1
    table = "".join(
        f"{places[number]:010} 00000 n \n" if number in places else "0000000000 65535 f \n" for number in range(last)
    )
    trailer = f"<</Size {last}/Root 1 0 R/Info 5 0 R>>"
    return content + f"xref\n0 {last}\n{table}trailer\n{trailer}\nstartxref\n{len(content)}\n%%EOF".encode()
