"""Tags in texts, and SSML, which becomes text with tags."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.text.passages import MAX_PAUSE_SECONDS, Passage, Passages, joined, voice_names, with_tags
from voxmatrix.text.ssml import from_ssml, is_ssml


def read(*parts: str) -> tuple[list[Passage], float]:
    passages = Passages()
    return [passage for part in parts for passage in passages.read(part)], passages.rest()


def test_a_tag_holds_until_another_of_its_kind() -> None:
    found, rest = read(
        "One [voice: Anna ] two [pause:1.5s][PAUSE:500ms] three", "four [rate:0.8]five[voice][rate] six[pause:2s]"
    )
    assert found == [
        Passage("One "),
        Passage(" two ", "Anna"),
        Passage(" three", "Anna", pause=2.0),
        Passage("four ", "Anna"),
        Passage("five", "Anna", 0.8),
        Passage(" six"),
    ]
    assert rest == 2.0


def test_a_closing_tag_returns_to_the_voice_and_the_speed_of_the_text() -> None:
    found, _ = read("[voice:Anna]I am [rate:2]here[/Rate].[/voice] He left.[/pause]")
    assert found == [
        Passage("I am ", "Anna"),
        Passage("here", "Anna", 2.0),
        Passage(".", "Anna"),
        Passage(" He left.[/pause]"),
    ]


@pytest.mark.parametrize(
    "text",
    ["[1]", "[pause]", "[pause:]", "[pause:x]", "[pause:-1s]", "[voices:a]", "[[voice:a]]", "[sic]", "[voice:a\nb]"],
)
def test_other_brackets_are_text(text: str) -> None:
    assert read(text) == ([Passage(text)], 0.0)
    assert not voice_names(text)


@given(
    st.lists(
        st.sampled_from(["[pause:1s]", "[voice:A]", "[voice]", "[rate:2]", "[", "]", "w1w", "w2w", " ", "[[", "]]"])
    )
)
def test_no_word_is_lost_and_no_tag_is_spoken(parts: list[str]) -> None:
    text = "".join(parts)
    found, rest = read(text)
    said = "".join(passage.text for passage in found)
    assert re.findall(r"w\dw", said) == re.findall(r"w\dw", text)
    assert all(passage.text.strip() and 0 <= passage.pause <= MAX_PAUSE_SECONDS for passage in found)
    assert 0 <= rest <= MAX_PAUSE_SECONDS
    assert voice_names(text) <= {"A"}


CASES = {
    'Wait<break time="1.5s"/>here': "Wait [pause:1.500s] here",
    'Wait<break time="200ms"/><break strength="none"/>': "Wait [pause:0.200s]  [pause:0.000s]",
    "Wait<break/>here": "Wait [pause:0.500s] here",
    'a <phoneme alphabet="ipa" ph="təˈmeɪtoʊ">tomato</phoneme>': "a [say-as:phonemes təˈmeɪtoʊ|tomato]",
    '<phoneme alphabet="x-sampa" ph="t@">tomato</phoneme>': "[say-as:phonemes tə|tomato]",
    '<phoneme alphabet="cmu" ph="T AH">tomato</phoneme>': "tomato",
    '<say-as interpret-as="characters">NASA</say-as>': "N A S A",
    '<say-as interpret-as="date">2026-11-27</say-as>': "[say-as:date|2026-11-27]",
    '<sub alias="World Wide Web">WWW</sub>': "World Wide Web",
    'a <prosody rate="80%">b <prosody rate="slow">c</prosody> d</prosody> e': (
        "a  [rate:0.8000] b  [rate:0.6000] c [rate:0.8000]  d [rate:1.0000]  e"
    ),
    '<prosody rate="+20%" pitch="high">b</prosody>': "[rate:1.2000] b [rate:1.0000]",
    'a <voice name="Anna">b <voice name="Bo">c</voice> d</voice> e': (
        "a  [voice:Anna] b  [voice:Bo] c [voice:Anna]  d [voice]  e"
    ),
    "<p><s>One.</s><s>Two.</s></p>": "One.\n\n\n\nTwo.",
    "<emphasis>so</emphasis> &amp; <mark name='x'/><audio src='a'>else<desc>noise</desc></audio>": "so & else",
    "<!-- <!DOCTYPE> -->said": "said",
}


@pytest.mark.parametrize(("inner", "expected"), CASES.items(), ids=list(CASES))
@pytest.mark.parametrize(
    "head", ["<speak>", '<?xml version="1.0"?>\n<speak xmlns="http://www.w3.org/2001/10/synthesis">']
)
def test_elements_of_ssml(head: str, inner: str, expected: str) -> None:
    text = f"{head}{inner}</speak>"
    assert is_ssml(text)
    assert from_ssml(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<speak>a",
        "<speak>a & b</speak>",
        '<!DOCTYPE speak [<!ENTITY a "aaa">]><speak>&a;</speak>',
        f"<speak>{'<p>' * 5000}{'</p>' * 5000}</speak>",
    ],
    ids=["open", "ampersand", "entities", "deep"],
)
def test_bad_ssml_is_said(text: str) -> None:
    with pytest.raises(BadInputError, match="SSML"):
        from_ssml(text)


@pytest.mark.parametrize("text", ["speak", "<speaker>", "a <speak>", "", "<speaking/>"])
def test_other_texts_are_none(text: str) -> None:
    assert not is_ssml(text)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("[voice:A]“Yes,”[voice] said Anna.", True),
        ("[voice:A]“Come in!”[voice] said Anna.", True),
        ("She said: [voice:A]“Come in.”", True),
        ("It is [rate:0.5]slow[rate].", True),
        ("[voice:A]你好，[voice]她说。", True),
        ("[voice:A]“Come in!”[voice] Anna smiled.", False),
        ("It was late.[voice:A] who knows?", True),
        ("[voice:A]Hello\n[voice:B]Hi there", False),
        ("It ended,\n\n[voice:A]and began.", False),
        ("He said, [pause:1s][voice:A]“Come in.”", False),
    ],
)
def test_where_a_tag_cuts_a_sentence_is_known(text: str, cut: bool) -> None:
    found = joined(Passages().read(text), {})
    assert found[0].breaks_off == found[1].continues == cut
    assert not found[0].continues and not found[-1].breaks_off


def test_what_the_same_voice_says_is_not_cut() -> None:
    voices = {"": 1, "anna": 1, "bo": 2}
    (whole,) = joined(Passages().read("[voice:Anna]“Yes,”[voice] said[voice:Anna]Anna, [voice]and left."), voices)
    assert whole == Passage("“Yes,” said Anna, and left.", "Anna")
    found = joined(Passages().read("[voice:Anna]One. [voice:Bo]Two. [pause:1s]Three."), voices)
    assert [one.text for one in found] == ["One. ", "Two. ", "Three."]
    assert joined([], voices) == []


def test_lines_that_begin_with_a_name_have_its_voice_up_to_the_end_of_their_paragraph() -> None:
    text = "Anna: Hi,\nyou.\nBob: Yes.\n\nHe said: no.\n\n  anna: So."
    assert with_tags(text, {"anna", "bob"}) == (
        "[voice:Anna] Hi,\nyou.\n[voice:Bob] Yes.[voice]\n\nHe said: no.\n\n[voice:anna] So.[voice]"
    )
    assert with_tags(text, ()) == text
