"""Roman numbers."""

#: Not empty, and as Romans wrote: IV, not IIII.
ROMAN = r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def is_roman(written: str) -> bool:
    """Whether these letters can be a Roman number."""
    return bool(written) and set(written.upper()) <= _VALUES.keys()


def value_of(written: str) -> int:
    """`XIV` as 14, in small letters as well."""
    values = [_VALUES[letter] for letter in written.upper()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
