"""Markup of EPUB 2 that EPUB 3 does not know, said in styles."""

import re
from collections.abc import Callable

from lxml import etree

from voxmatrix.book.join.overlay.spans import XHTML
from voxmatrix.book.read.markup import descendants, local_name, text_of, tidy

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(%|px)?")
_COLOUR = re.compile(r"#?[0-9A-Za-z]{3,20}")
_WORD = re.compile(r"[a-z-]{2,12}")
_FONTS = re.compile(r"[\w ,-]{1,100}")
#: The sizes of `font`, and what is relative to the text around it.
_SIZES = {
    **{"1": "x-small", "2": "small", "3": "medium", "4": "large", "5": "x-large", "6": "xx-large", "7": "xx-large"},
    **{"+1": "larger", "+2": "x-large", "+3": "xx-large", "-1": "smaller", "-2": "x-small"},
}
_FLOATING, _TABLE = ("img", "object", "iframe"), "table"


def _length(value: str) -> str:
    match = _LENGTH.fullmatch(value)
    return f"{match[1]}{match[2] or 'px'}" if match else ""


def _if_like(pattern: re.Pattern[str]) -> Callable[[str], str]:
    return lambda value: value if pattern.fullmatch(value) else ""


#: What attributes say, as properties of a style with a function for the value, which is empty if it cannot be kept.
_STYLES: dict[str, tuple[str, Callable[[str], str]]] = {
    "valign": ("vertical-align", _if_like(_WORD)),
    "bgcolor": ("background-color", _if_like(_COLOUR)),
    "color": ("color", _if_like(_COLOUR)),
    "text": ("color", _if_like(_COLOUR)),
    "face": ("font-family", _if_like(_FONTS)),
    "hspace": ("margin-left", _length),
    "vspace": ("margin-top", _length),
    "cellspacing": ("border-spacing", _length),
    "nowrap": ("white-space", lambda value: "nowrap"),
    "clear": ("clear", lambda value: "both" if value == "all" else value if _WORD.fullmatch(value) else ""),
    "width": ("width", _length),
    "height": ("height", _length),
}
#: Attributes that EPUB 3 knows in these elements only.
_KNOWN_IN = {
    "width": ("img", "object", "video", "iframe", "embed", "canvas", "input", "source"),
    "height": ("img", "object", "video", "iframe", "embed", "canvas", "input", "source"),
    "color": (),
    "text": (),
    "size": ("input", "select"),
    "type": ("a", "link", "script", "style", "object", "embed", "source", "input", "button", "ol", "menu", "param"),
    "name": ("meta", "param", "map", "input", "object", "iframe", "form", "select", "button", "textarea", "output"),
    "start": ("ol",),
    "value": ("li", "input", "param", "option", "button", "meter", "progress", "data"),
    "abbr": ("th",),
    "scope": ("th",),
    "charset": ("meta", "script"),
    "border": (),
    "align": (),
    "background": (),
    "space": (),
}
_UNKNOWN = frozenset((
    *_STYLES, *_KNOWN_IN, "cellpadding", "rules", "frame", "summary", "noshade", "link", "vlink", "alink", "compact",
    "char", "charoff", "axis", "rev", "coords", "shape", "language", "version", "profile", "scheme", "longdesc",
    "lowsrc", "marginwidth", "marginheight", "topmargin", "leftmargin", "{http://www.w3.org/XML/1998/namespace}space",
))  # fmt: skip
#: Shapes of image maps.
_OF_MAPS = ("area",)
_ELEMENTS = {
    "center": ("div", "text-align: center"),
    "font": ("span", ""),
    "big": ("span", "font-size: larger"),
    "tt": ("span", "font-family: monospace"),
    "nobr": ("span", "white-space: nowrap"),
    "strike": ("s", ""),
    "acronym": ("abbr", ""),
    "dir": ("ul", ""),
}


def upgrade_markup(root: etree._Element) -> None:
    """Replace elements and attributes that EPUB 3 does not know; what they say of the looks goes into styles."""
    anchors = {found for element in root.iter() if (found := element.get("id"))}
    for element in list(root.iter(f"{{{XHTML}}}*")):
        name = local_name(element)
        if name == "meta" and element.get("http-equiv"):
            element.getparent().remove(element)  # it says what EPUB says itself
            continue
        styles = [_size(element)] if name == "font" else []
        for attribute in [one for one in element.attrib if _is_unknown(str(one), name, element)]:
            value = str(element.attrib.pop(attribute)).strip()
            if attribute == "name" and name == "a" and value and not element.get("id") and value not in anchors:
                element.set("id", value)
                anchors.add(value)
            styles.append(_style(attribute, value.lower(), name))
        new, style = _ELEMENTS.get(name, (name, ""))
        element.tag = f"{{{XHTML}}}{new}"
        _add_styles(element, [style, *styles])
    _add_title(root)


def _is_unknown(attribute: str, name: str, element: etree._Element) -> bool:
    if attribute not in _UNKNOWN or name in _OF_MAPS:
        return False
    if attribute in ("width", "height") and name == "img":
        return not (element.get(attribute) or "").strip().isdecimal()
    return name not in _KNOWN_IN.get(attribute, ())


def _style(attribute: str, value: str, name: str) -> str:
    if attribute == "align":
        return _alignment(value, name)
    if attribute == "border":
        width = _length(value)
        return f"border: {width} solid" if width and value != "0" else "border: none" if name == "img" else ""
    if attribute in _STYLES:
        property_name, kept = _STYLES[attribute]
        return f"{property_name}: {text}" if (text := kept(value)) else ""
    return ""


def _alignment(value: str, name: str) -> str:
    if name in (*_FLOATING, _TABLE) and value in ("left", "right"):
        return f"float: {value}"
    if name == _TABLE:
        return "margin-left: auto; margin-right: auto" if value == "center" else ""
    if name in _FLOATING:
        return f"vertical-align: {value}" if value in ("top", "middle", "bottom") else ""
    return f"text-align: {value}" if _WORD.fullmatch(value) else ""


def _size(font: etree._Element) -> str:
    size = _SIZES.get(str(font.attrib.pop("size", "")).strip(), "")
    return f"font-size: {size}" if size else ""


def _add_styles(element: etree._Element, styles: list[str]) -> None:
    own = (element.get("style") or "").strip().rstrip(";")
    if found := [style for style in styles if style]:
        element.set("style", "; ".join([*found, own] if own else found))


def _add_title(root: etree._Element) -> None:
    """Every document of EPUB 3 has a title."""
    head = next(descendants(root, "head"), None)
    if head is None:
        head = root.makeelement(f"{{{XHTML}}}head")
        root.insert(0, head)
    title = next(descendants(head, "title"), None)
    if title is None:
        title = etree.SubElement(head, f"{{{XHTML}}}title")
    if not tidy(text_of(title)):
        title.text = "?"
