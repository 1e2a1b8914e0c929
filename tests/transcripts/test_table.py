import contextlib
import csv
import io
import string
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.lines import TranscriptRow
from voxmatrix.transcripts.table import guess_columns, header_columns, read_table

LJ = """LJ001-0001|Printing, in the only sense|Printing, in the only sense
LJ001-0002|in being 10 years old|in being ten years old
LJ001-0003|Mr. Smith paid $5|Mister Smith paid five dollars"""
SPEAKERS = """a.wav|anna|Hello there.
b.wav|bob|How are you?
c.wav|anna|Fine, thank you."""


def rows(text: str) -> list[tuple[str, str | None, str]]:
    found, problems = read_table(text.encode(), "metadata.csv")
    assert not problems
    return [(row.file, row.speaker, row.text) for row in found]


def test_two_fields_are_file_and_text() -> None:
    assert rows("a.wav|Hello.\n b | Hi there. ") == [("a.wav", None, "Hello."), ("b", None, "Hi there.")]


def test_a_bar_in_the_text_belongs_to_the_text() -> None:
    assert rows("a|one|two\nb|three\nc|four\nd|five")[0] == ("a", None, "one|two")


def test_three_fields_with_few_names_are_file_speaker_and_text() -> None:
    assert rows(SPEAKERS)[0] == ("a.wav", "anna", "Hello there.")
    assert rows("a.wav|anna|Hello.") == [("a.wav", "anna", "Hello.")]


def test_three_fields_of_ljspeech_are_told_apart_and_the_normalised_text_is_taken() -> None:
    assert [speaker for _, speaker, _ in rows(LJ)] == [None] * 3
    assert rows(LJ)[2][2] == "Mister Smith paid five dollars"


def test_ljspeech_with_an_empty_normalised_text_falls_back_to_the_text() -> None:
    assert rows(LJ + "\nLJ001-0004|only this|")[3] == ("LJ001-0004", None, "only this")
    assert rows(LJ + "\nLJ001-0004|only this")[3] == ("LJ001-0004", None, "only this")


def test_a_speaker_of_several_words_is_still_a_speaker() -> None:
    lines = [[f"{n}", "Maria del Carmen de la Cruz Ruiz", f"sentence {n}"] for n in range(9)]
    assert guess_columns(lines).speaker == 1


def test_quotes_are_text() -> None:
    assert rows('a|"Hello", she said.\nb|"Open quote') == [
        ("a", None, '"Hello", she said.'),
        ("b", None, '"Open quote'),
    ]


@pytest.mark.parametrize(
    ("header", "line", "wanted"),
    [
        ("file|text", "a|b", ("a", None, "b")),
        ("Speaker|Text|File", "s|t|f", ("f", "s", "t")),
        ("File Name;Speaker-ID;Normalized Text", "f;s;t", ("f", "s", "t")),
        ("id|text|normalized_text", "i|5|five", ("i", None, "five")),
        ("file_name\ttranscription", "a\tb", ("a", None, "b")),
    ],
)
def test_a_header_names_the_columns(header: str, line: str, wanted: tuple[str, str | None, str]) -> None:
    assert rows(f"{header}\n{line}\n") == [wanted]


def test_a_first_line_with_one_known_name_is_a_recording() -> None:
    assert header_columns(["file", "texts"]) is None
    assert header_columns(["text", "sentence"]) is None
    assert header_columns(["id"]) is None


@pytest.mark.parametrize(("header", "wanted"), [("utterance|text|speaker", "file"), ("file|speaker", "text")])
def test_a_header_without_a_needed_column_is_no_recording(header: str, wanted: str) -> None:
    with pytest.raises(BadInputError, match=f"none is the {wanted}") as caught:
        read_table(f"{header}\na|b|c\n".encode(), "metadata.csv")
    assert wanted in caught.value.remedy


def test_a_header_that_names_a_column_twice_is_refused() -> None:
    with pytest.raises(BadInputError, match="two columns 'text'"):
        read_table(b"file|text|text\na|b|c\n", "metadata.csv")


#: Twenty-four sentences of a language each.
SENTENCES = {
    voice: (Path(__file__).parents[1] / "text" / "data" / "piper" / f"{voice}.txt").read_text("utf-8").splitlines()[:24]
    for voice in ("cmn", "de", "es", "fr", "ru", "sv")
}
LABELS = {
    "speaker": ["bob", "ann", "Maria del Carmen"],
    "one speaker": ["coqui"],
    "numbered": ["0", "12", "7"],
    "duration": [f"{n / 10:.2f}" for n in range(10, 34)],
    "samples": [str(22050 + 317 * n) for n in range(24)],
    "language": ["en"],
    "languages": ["EN", "JP", "ZH"],
    "a word of the language": ["es"],
    "nothing": [""],
    "tones": [" ".join(str(k * n % 5) for k in range(6)) for n in range(24)],
    "other": [f"ni{n} hao{n} zai{n} jian{n} le{n}" for n in range(24)],
}


def table(columns: list[list[str]], separator: str, header: str = "") -> bytes:
    lines = list(zip(*columns, strict=True))
    if separator in "|\t":
        return (header + "\n".join(separator.join(line) for line in lines)).encode()
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(lines)
    return (header + written.getvalue()).encode()


@given(
    st.sampled_from(sorted(SENTENCES)),
    st.lists(st.sampled_from(sorted(LABELS)), max_size=3),
    st.integers(0, 3),
    st.sampled_from("|\t;,"),
)
@example("cmn", ["a word of the language", "a word of the language", "other"], 3, "|")
@example("de", ["speaker", "language", "other"], 3, "|")
def test_no_column_but_the_text_is_ever_the_text(voice: str, labels: list[str], place: int, separator: str) -> None:
    texts = SENTENCES[voice]
    assume(not any(separator in text for text in texts) or separator in ";,")
    columns = [[(LABELS[label] * 24)[n] for n in range(24)] for label in labels]
    columns.insert(place, texts)
    data = table([[f"wavs/{n}.wav" for n in range(24)], *columns], separator)
    try:
        found, problems = read_table(data, "metadata.csv")
    except BadInputError as error:
        assert "column" in error.problem and "file" in error.remedy
        assert len(labels) > 1 or not {*labels} & {"speaker", "one speaker", "duration", "nothing"}
        return
    assert not problems
    assert [row.text for row in found] == texts


@pytest.mark.parametrize("separator", ["|", "\t", ";", ","])
@pytest.mark.parametrize(
    ("columns", "speakers"),
    [
        (["speaker", "TEXT"], True),
        (["TEXT", "speaker"], True),
        (["TEXT", "one speaker"], True),
        (["TEXT", "duration"], False),
        (["TEXT", "language"], False),
        (["numbered", "TEXT"], True),  # VITS
        (["speaker", "languages", "TEXT"], True),  # Bert-VITS2
        (["speaker", "language", "TEXT", "other", "tones", "tones"], True),  # Bert-VITS2, cleaned
        (["TEXT", "TEXT"], False),  # LJSpeech
    ],
)
def test_published_layouts_are_read(columns: list[str], speakers: bool, separator: str) -> None:
    texts = [text.replace(separator, "") for text in SENTENCES["de"]]
    values = [texts if name == "TEXT" else [(LABELS[name] * 24)[n] for n in range(24)] for name in columns]
    found, problems = read_table(table([[f"{n}" for n in range(24)], *values], separator), "metadata.csv")
    assert not problems
    assert [row.text for row in found] == texts
    assert all(row.speaker for row in found) == speakers


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("audio_file|text|speaker_name\nwavs/1.wav|It is, we say.|coqui", ("wavs/1.wav", "coqui", "It is, we say.")),
        (
            "audio_file|text|speaker_name|emotion_name\n1.wav|Hello.|ann|happy",
            ("1.wav", "ann", "Hello."),
        ),
        ('file_name,text\n1.mp3,"Well, ""yes""; no | maybe."', ("1.mp3", None, 'Well, "yes"; no | maybe.')),
        ("file_name,transcription\n1.mp3,Well, yes", ("1.mp3", None, "Well, yes")),
        ("file_name;text\n1.mp3;Well, yes", ("1.mp3", None, "Well, yes")),
        ("wav_filename,wav_filesize,transcript\n1.wav,4711,hello", ("1.wav", None, "hello")),
        (
            "client_id\tpath\tsentence_id\tsentence\tsentence_domain\tup_votes\tgender\tlocale\n"
            'ab12\tcommon_voice_sv-SE_1.mp3\tffe1\tSäg "hej".\t\t2\t\tsv-SE',
            ("common_voice_sv-SE_1.mp3", "ab12", 'Säg "hej".'),
        ),
        ('"1.wav"|"Hello | you"', ("1.wav", None, "Hello | you")),
        ('1.wav,"Hello, you"', ("1.wav", None, "Hello, you")),
        ("1.wav;Hello, you", ("1.wav", None, "Hello, you")),
    ],
)
def test_headers_and_quotes_of_other_programs_are_read(written: str, wanted: tuple[str, str | None, str]) -> None:
    assert rows(written) == [wanted]


def test_a_quote_without_its_other_half_loses_only_its_line() -> None:
    found, (problem,) = read_table(b'file_name,text\na,"never closed\nb,fine\n', "metadata.csv")
    assert [(row.file, row.text) for row in found] == [("b", "fine")]
    assert problem.place == "metadata.csv:2" and "quote" in problem.problem


def test_a_bar_too_many_is_reported_where_the_text_is_not_last() -> None:
    found, (problem,) = read_table(b"file|text|speaker\na|one|two|bob\nb|three|ann\n", "metadata.csv")
    assert [row.text for row in found] == ["three"]
    assert "4 of 3 fields" in problem.problem


@pytest.mark.parametrize("second", ["bob", "2.{}"])
def test_two_columns_without_a_text_are_refused(second: str) -> None:
    with pytest.raises(BadInputError, match="no column looks like the text"):
        read_table("".join(f"{n}|{second.format(n)}\n" for n in range(24)).encode(), "metadata.csv")


def test_tabs_separate_where_there_are_no_bars() -> None:
    assert rows("a\tb\nc\td") == [("a", None, "b"), ("c", None, "d")]


def test_every_bad_line_is_named() -> None:
    found, problems = read_table(b"a|b\nnothing\n|no file\nc|d", "metadata.csv")
    assert [row.file for row in found] == ["a", "c"]
    assert [(problem.kind, problem.place) for problem in problems] == [
        ("bad-line", "metadata.csv:2"),
        ("bad-line", "metadata.csv:3"),
    ]
    assert "nothing" in problems[0].problem


def test_a_line_without_the_speaker_that_others_have_is_bad() -> None:
    found, problems = read_table((SPEAKERS + "\nd.wav|no speaker here").encode(), "metadata.csv")
    assert len(found) == 3
    assert problems[0].id == "d"


@given(st.lists(st.text(alphabet=string.printable + "|||\t\u2028\ufeffåß日\x00", max_size=40), max_size=12))
def test_any_text_becomes_rows_or_problems_and_no_line_is_lost(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    try:
        found, problems = read_table(data, "m.csv")
    except BadInputError:
        return
    places = [row.line for row in found] + [problem.place for problem in problems]
    assert len(places) == len(set(places))
    for row in found:
        assert row.file
        assert row.text == row.text.strip()


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    with contextlib.suppress(BadInputError):
        read_table(data, "m.csv")


_NAME = st.text(alphabet=string.ascii_lowercase + "åß日 -", min_size=1, max_size=12).map(str.strip).filter(bool)
_TEXT = st.text(alphabet=string.ascii_letters + ' ,."|éñ', min_size=1, max_size=40).map(str.strip).filter(bool)


@given(st.lists(st.tuples(_NAME, _TEXT), min_size=1, max_size=8))
def test_what_was_written_with_a_header_is_read_back(written: list[tuple[str, str]]) -> None:
    data = "id|text\r\n" + "".join(f"{name}|{text}\r\n" for name, text in written)
    found, problems = read_table(data.encode("utf-8-sig"), "m.csv")
    assert not problems
    assert found == [
        TranscriptRow(line=f"m.csv:{n + 2}", file=name, text=text) for n, (name, text) in enumerate(written)
    ]
