"""Marks of other programs are named, with what to write; the text is in no hint."""

import pytest

from voxmatrix.text.hints import hints


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Wait [pause 1s] here", "[pause:1.5s]"),
        ("Wait [Pause] here", "[pause:1.5s]"),
        ("Wait [pause:1] here", "[pause:1.5s]"),
        ("[voice Anna] Hello. ", "[voice:NAME]"),
        ("Wait [PAUSE 1.0] here", "[pause:1.5s]"),
        ("Wait {pause 2} here", "[pause:1.5s]"),
        ("Wait [break:2s] here", "[pause:1.5s]"),
        ("[voice:Anna] Hello.[voice:] So he said.", "[voice:NAME]"),
        ("[/voice:Anna]", "[voice:NAME]"),
        ("{voice:Anna} Hello.", "[voice:NAME]"),
        ("[voise:Anna] Hello.", "[voice:NAME]"),
        ("[rate:fast] Hello.", "[voice:NAME]"),
        ("[rate=0.8] Hello.", "[voice:NAME]"),
        ('Wait <break time="1s"/> here', "<speak>"),
        ("An <emphasis>important</emphasis> word", "<speak>"),
        ('<speak>a <phoneme alphabet="cmu" ph="T AH">b</phoneme></speak>', "IPA"),
        ("<speak><phoneme ph='a' alphabet = 'x-microsoft-sapi'>b</phoneme></speak>", "IPA"),
    ],
)
def test_what_is_read_aloud_is_named_with_what_to_write(text: str, told: str) -> None:
    (hint,) = hints(text)
    assert told in hint.remedy and hint.severity == "warning"
    assert "Anna" not in hint.problem and hint.problem.isascii() and hint.remedy.isascii()  # it is sent in a header


def test_each_kind_is_named_once() -> None:
    assert len(hints("[pause 1s] [pause 2s] [voice:] <break/> <break/>")) == 3


@pytest.mark.parametrize(
    "text",
    [
        "[pause:1.5s] [PAUSE: 300 ms] [voice:Anna] a [voice] [rate:0.8] b [rate]",
        "[voice:Anna] a [/voice] [Rate: 0.8 ] b [/RATE]",
        "[note: see 1] {voices} [silence] [Pages: 3] [1] {3} [[voice:a]]",
        "He had to pause [see 1] and voice his <opinion>. [paused] A <voices> b.",
        '<speak>a<break time="1s"/><phoneme alphabet="IPA" ph="a">b</phoneme><phoneme ph="c">d</phoneme></speak>',
        "<speak><phoneme alphabet='x-sampa' ph='a'>b</phoneme></speak>",
        "",
    ],
)
def test_what_has_its_effect_is_not_named(text: str) -> None:
    assert hints(text) == []
