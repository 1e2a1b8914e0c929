import pytest

from voxmatrix.tables import rows
from voxmatrix.tables.headers import header_words


@pytest.mark.parametrize("field", ["file", "text", "speaker"])
def test_no_word_names_two_kinds_of_columns_and_all_are_as_headers_are_compared(field: str) -> None:
    words = header_words(field)
    others = {word for other in ("file", "text", "speaker") if other != field for word in header_words(other)}
    assert not others & set(words)
    assert all(word == word.lower().replace("-", "_").strip() for word in words)


def test_seven_languages_have_words_for_all_columns() -> None:
    table = rows.read("headers.toml")
    for language in ("en", "es", "fr", "de", "pt", "it", "sv"):
        assert all(table[language][field] for field in ("file", "text", "speaker"))


def test_a_number_is_the_file_only_without_another_name_for_it() -> None:
    assert header_words("file")[-1] == "id"
