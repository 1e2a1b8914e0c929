"""Tags and chapter marks, as ffmpeg's metadata file has them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from voxmatrix.book.content import Book
from voxmatrix.book.join.timeline import Timeline

GENRE = "Audiobook"
#: The list of chapters that older players read has one byte for the length of a title.
MAX_TITLE_BYTES = 255
#: Of a description in full.
MAX_TEXT_BYTES = 4000
#: "Audiobook" among the kinds of media that iTunes knows; the tag appears in MP4 files only.
_MEDIA_TYPE = "2"
_ELLIPSIS = "…"
_YEAR = re.compile(r"\d{4}(?!\d)")
_SPECIAL = re.compile(r"[=;#\\\n]")
#: Controls, among them those of the direction of writing, which show a name as another one; and what is no character.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+")


@dataclass(frozen=True, kw_only=True)
class Track:
    """The place of a file among those of a book."""

    number: int
    of: int
    title: str


def one_line(text: str, most_bytes: int = MAX_TITLE_BYTES) -> str:
    """Text in one line, without control characters, cut to `most_bytes` of UTF-8."""
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return line.encode("utf-8")[:most_bytes].decode("utf-8", "ignore").rstrip()


def shortened(text: str, most_bytes: int) -> str:
    """Text in one line, cut behind a word, with an ellipsis, to `most_bytes` of UTF-8."""
    line = one_line(text, len(text.encode("utf-8", "ignore")))
    if len(line.encode("utf-8")) <= most_bytes:
        return line
    cut = one_line(line, most_bytes - len(_ELLIPSIS.encode("utf-8")))
    words = cut if line[len(cut)] == " " else cut.rpartition(" ")[0]
    # Some languages have no blanks between words.
    return (words if 2 * len(words) > len(cut) else cut).rstrip(" ,;:.-–—") + _ELLIPSIS


def tags(book: Book, *, narrator: str = "", track: Track | None = None) -> dict[str, str]:
    """The tags of the file of a whole book, or of a track of it. No tag is empty."""
    authors = one_line(", ".join(book.authors))
    title = one_line(book.title)
    found = {
        "title": one_line(track.title) if track else title,
        "album": title,
        "artist": authors,
        "album_artist": authors,
        "composer": one_line(narrator),  # where players of audiobooks look for the narrator
        "genre": GENRE,
        "language": three_letters(book.language),
        **_about(book),
        "track": f"{track.number}/{track.of}" if track else "",
        "media_type": "" if track else _MEDIA_TYPE,
    }
    return {name: value for name, value in found.items() if value}


def _about(book: Book) -> dict[str, str]:
    """Tags that library programs read. MP4 has none for publishers: there it is part of the copyright."""
    about = book.about
    year = _YEAR.match(about.date)
    date = year[0] if year else one_line(about.date)  # players show it as the year
    place = f" #{about.series_index}" if about.series_index else ""
    return {
        "date": date,
        "publisher": one_line(about.publisher),
        "copyright": one_line(f"{date} {about.publisher}") if about.publisher else "",
        "grouping": one_line(f"{about.series}{place}") if about.series else "",
        "series": one_line(about.series),
        "series-part": one_line(about.series_index) if about.series else "",
        "description": shortened(about.description, MAX_TITLE_BYTES),
        "synopsis": shortened(about.description, MAX_TEXT_BYTES),
    }


def metadata_file(found: Mapping[str, str], line: Timeline | None = None) -> str:
    """ffmpeg's metadata file: the tags, and a mark for each chapter of `line`."""
    parts = [";FFMETADATA1", *(f"{name}={_escaped(value)}" for name, value in found.items())]
    for chapter in line.chapters if line else ():
        title = chapter_title(chapter.chapter.title, chapter.chapter.index)
        times = f"START={chapter.start}\nEND={chapter.end}"
        parts.append(f"[CHAPTER]\nTIMEBASE=1/{line.rate_hz if line else 1}\n{times}\ntitle={_escaped(title)}")
    return "\n".join(parts) + "\n"


def chapter_title(title: str, index: int) -> str:
    """The title of a chapter as players show it; its number if it has none."""
    return one_line(title) or str(index)


def _escaped(value: str) -> str:
    """ffmpeg takes a backslash at the end of a line for an escaped line break, even if it is escaped itself."""
    escaped = _SPECIAL.sub(lambda found: f"\\{found.group()}", value)
    return f"{escaped} " if escaped.endswith("\\") else escaped


#: ISO 639-1 and ISO 639-2/T.
_CODES: str = """
aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bh bih bi bis
bm bam bn ben bo bod br bre bs bos ca cat ce che ch cha co cos cr cre cs ces cu chu cv chv cy cym da dan de deu dv div
dz dzo ee ewe el ell en eng eo epo es spa et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla
gl glg gn grn gu guj gv glv ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind ie ile ig ibo
ii iii ik ipk io ido is isl it ita iu iku ja jpn jv jav ka kat kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor
kr kau ks kas ku kur kv kom kw cor ky kir la lat lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah
mi mri mk mkd ml mal mn mon mr mar ms msa mt mlt my mya na nau nb nob nd nde ne nep ng ndo nl nld nn nno no nor nr nbl
nv nav ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run ro ron ru rus
rw kin sa san sc srd sd snd se sme sg sag si sin sk slk sl slv sm smo sn sna so som sq sqi sr srp ss ssw st sot su sun
sv swe sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig
uk ukr ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh zho zu zul
"""
_WORDS = _CODES.split()
_THREE = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))


def three_letters(tag: str) -> str:
    """The code of the language of a BCP 47 tag: swe for sv-SE. Empty if it is not known."""
    language = tag.replace("_", "-").split("-", maxsplit=1)[0].strip().lower()
    if language in _THREE:
        return _THREE[language]
    return language if len(language) == 3 and language.isascii() and language.isalpha() else ""
