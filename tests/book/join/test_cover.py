import io

import pytest
from PIL import Image

from tests.book.join.books import book, image
from voxmatrix.book.content import Cover
from voxmatrix.book.join.cover import MAX_PIXELS, flac_picture, usable_cover, with_usable_cover


@pytest.mark.parametrize(("form", "media_type"), [("JPEG", "image/jpeg"), ("PNG", "image/png")])
def test_jpeg_and_png_stay_as_they_are_whatever_the_book_calls_them(form: str, media_type: str) -> None:
    assert usable_cover(Cover("image/gif", image(form))) == Cover(media_type, image(form))


@pytest.mark.parametrize("form", ["GIF", "WEBP", "BMP", "TIFF"])
def test_other_images_become_jpeg(form: str) -> None:
    cover = usable_cover(Cover("image/png", image(form, (3000, 100))))
    assert cover is not None and cover.media_type == "image/jpeg"
    with Image.open(io.BytesIO(cover.data)) as converted:
        assert converted.format == "JPEG" and converted.size == (MAX_PIXELS, 80)


def test_an_image_that_would_fill_the_memory_is_left_out() -> None:
    png = bytearray(image("PNG"))
    png[16:24] = (60_000).to_bytes(4, "big") * 2
    assert usable_cover(Cover("image/png", bytes(png))) is None


def test_a_book_without_cover_stays_so() -> None:
    assert with_usable_cover(book(["One"])) == book(["One"])


def test_the_picture_block_has_type_length_and_data() -> None:
    block = flac_picture(Cover("image/png", b"data"))
    assert block[:17] == b"\0\0\0\3\0\0\0\x09image/png" and block[-8:] == b"\0\0\0\4data"
