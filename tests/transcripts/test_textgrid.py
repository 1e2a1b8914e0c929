import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.textgrid import read_textgrid
from voxmatrix.transcripts.timed import parse_timed

Tier = tuple[str, list[tuple[float, float, str]]]


def long_form(*tiers: Tier) -> str:
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ", "xmax = 9 ", "tiers? <exists> "]
    lines += [f"size = {len(tiers)} ", "item []: "]
    for number, (name, parts) in enumerate(tiers, start=1):
        lines += [f"    item [{number}]:", '        class = "IntervalTier" ', f'        name = "{name}" ']
        lines += ["        xmin = 0 ", "        xmax = 9 ", f"        intervals: size = {len(parts)} "]
        for place, (start, end, text) in enumerate(parts, start=1):
            lines += [f"        intervals [{place}]:", f"            xmin = {start} ", f"            xmax = {end} "]
            lines += [f'            text = "{text}" ']
    return "\n".join(lines)


def short_form(*tiers: Tier) -> str:
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", "9", "<exists>", str(len(tiers))]
    for name, parts in tiers:
        lines += ['"IntervalTier"', f'"{name}"', "0", "9", str(len(parts))]
        lines += [str(one) if not isinstance(one, str) else f'"{one}"' for part in parts for one in part]
    return "\n".join(lines)


SENTENCES = ("sentence", [(0, 1, ""), (1, 2.5, 'He said ""no"" 7 times!\nTwice.'), (2.5, 9, "sil")])
WORDS = ("words", [(0, 1, ""), (1, 1.5, "one"), (1.5, 2, "two"), (2, 3, "<eps>"), (3, 4, "three")])
PHONES = ("phones", [(0, 1, "AH0"), (1, 2, "T")])


@pytest.mark.parametrize("form", [long_form, short_form])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-be", "utf-16-le"])
def test_both_forms_are_read_in_the_encodings_that_praat_writes(form: object, codec: str) -> None:
    text = form(PHONES, SENTENCES)  # type: ignore[operator]
    data = ("\ufeff" + text).encode(codec)
    assert parse_timed(data, "a.TextGrid") == [Label(1.0, 2.5, 'He said "no" 7 times! Twice.')]


def test_sentences_are_read_before_words_and_words_joined_up_to_a_pause() -> None:
    assert read_textgrid(long_form(WORDS, SENTENCES), "a") == read_textgrid(long_form(SENTENCES), "a")
    assert read_textgrid(long_form(PHONES, WORDS), "a") == [Label(1.0, 2.0, "one two"), Label(3.0, 4.0, "three")]


def test_a_tier_of_any_other_name_is_taken_if_it_is_no_sounds() -> None:
    assert read_textgrid(short_form(PHONES, ("anna", [(1, 2, "Hi.")])), "a") == [Label(1.0, 2.0, "Hi.")]


def test_points_and_comments_are_passed_over() -> None:
    text = short_form(("points", []), SENTENCES).replace(
        '"IntervalTier"\n"points"\n0\n9\n0', '"TextTier" ! "x" 7\n"tones"\n0 9 1 2.5 "H*"'
    )
    assert len(read_textgrid(text, "a")) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no TextGrid"),
        ('"Praat chronological TextGrid text file"\n0 4', "is a chronological TextGrid"),
        (long_form(SENTENCES)[:-40], "or ends too early"),
        (short_form(SENTENCES).replace("\n3\n", "\n99999999999\n"), "or ends too early"),
        (short_form(SENTENCES).replace("\n3\n", "\n1e400\n"), "or ends too early"),
        (short_form(SENTENCES).replace("TextGrid", "Pitch"), "is no TextGrid"),
        (short_form(PHONES), r"no tier of intervals with words \(phones\)"),
        (short_form(), "no tier at all"),
        ('"' * 100_001, "is no TextGrid"),
        ("1 " * 100_000, "is no TextGrid"),
    ],
)
def test_what_is_damaged_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_textgrid(text, "a.TextGrid")


def test_a_binary_textgrid_is_called_so() -> None:
    with pytest.raises(BadInputError, match="is a binary TextGrid") as caught:
        parse_timed(b"ooBinaryFile\x08TextGrid\x00\x9f\xff", "a.TextGrid")
    assert "Save as text file" in caught.value.remedy
