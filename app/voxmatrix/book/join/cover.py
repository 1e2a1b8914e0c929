"""The cover as an image that every player and reader shows."""

import io
import warnings
from dataclasses import replace

from voxmatrix.book.content import Book, Cover

#: The longer side of an image that is converted.
MAX_PIXELS = 2400
THUMBNAIL_PIXELS = 320
_KEPT = {"JPEG": "image/jpeg", "PNG": "image/png"}
_READ = (*_KEPT, "GIF", "WEBP", "BMP", "TIFF")


def usable_cover(cover: Cover | None) -> Cover | None:
    """The cover as JPEG or PNG, unchanged if it is one, whatever its book calls it. None: it is not an image."""
    if cover is None:
        return None
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(cover.data), formats=_READ) as image:
                image.load()
                if image.format in _KEPT:
                    return Cover(_KEPT[image.format], cover.data)
                image.thumbnail((MAX_PIXELS, MAX_PIXELS))
                converted = io.BytesIO()
                image.convert("RGB").save(converted, "JPEG", quality=90)
                return Cover(_KEPT["JPEG"], converted.getvalue())
    except (
        OSError,
        ValueError,
        SyntaxError,
        MemoryError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ):
        return None


def thumbnail(cover: Cover | None) -> bytes | None:
    """The cover as a small JPEG; None if there is none, or none that can be shown."""
    usable = usable_cover(cover)
    if usable is None:
        return None
    from PIL import Image

    small = io.BytesIO()
    with Image.open(io.BytesIO(usable.data), formats=tuple(_KEPT)) as image:
        image.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS))
        image.convert("RGB").save(small, "JPEG", quality=85)
    return small.getvalue()


def with_usable_cover(book: Book) -> Book:
    """The book with its cover as JPEG or PNG, or without."""
    return replace(book, cover=usable_cover(book.cover))


def flac_picture(cover: Cover) -> bytes:
    """The cover as a picture block of FLAC, which Ogg files have as a tag. Width and height may be 0: not given."""
    media_type = cover.media_type.encode("ascii")
    front_cover = 3
    fields = [front_cover.to_bytes(4, "big"), len(media_type).to_bytes(4, "big"), media_type, bytes(4 + 4 * 4)]
    return b"".join([*fields, len(cover.data).to_bytes(4, "big"), cover.data])
