"""MathML without a description, as text: fractions and powers keep their signs."""

from lxml import etree

from voxmatrix.book.read.marks import lowered, raised
from voxmatrix.book.read.markup import local_name, tidy

#: What repeats the formula in another notation.
_OTHER_NOTATIONS = ("annotation", "annotation-xml")


def formula(element: etree._Element) -> str:
    """A formula in one line: `a/2 + x²`."""
    return tidy(_written(element))


def _written(element: etree._Element) -> str:
    name, parts = local_name(element), [part for part in element if local_name(part) not in (*_OTHER_NOTATIONS, "")]
    if not parts:
        text = tidy(element.text or "")
        return f" {text} " if name == "mo" else text
    inner = [_written(part) for part in parts]
    match name, inner:
        case "mfrac", [upper, lower]:
            return f" {grouped(upper)}/{grouped(lower)} "
        case "msup", [base, upper]:
            shifted = raised(tidy(upper), "0")
            return f"{grouped(base)}{shifted if shifted != tidy(upper) else f'^{grouped(upper)}'}"
        case "msub", [base, lower]:
            return f"{base}{lowered(tidy(lower))} "
        case "msqrt", _:
            return f" √{grouped(' '.join(inner))}"
    return "".join(inner) if name == "mrow" else " ".join(inner)


def grouped(text: str) -> str:
    """A part of a formula in brackets, if it is more than a word."""
    text = tidy(text)
    return text if text.isalnum() or text.startswith("(") else f"({text})"
