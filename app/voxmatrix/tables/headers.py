"""What people call the columns of a table of recordings, in seven languages. Read from headers.toml."""

from functools import cache

from voxmatrix.tables import rows


@cache
def header_words(field: str) -> tuple[str, ...]:
    """The names of the column for `file`, `text` or `speaker`, in order of preference, without any twice."""
    words = [word for language in rows.read("headers.toml").values() for word in language[field]]
    return tuple(dict.fromkeys(words))
