"""What is in a text and is not spoken."""

import pytest

from tests.dataset.test_checks import made
from voxmatrix.dataset.text_checks import directions, text_problems


def kinds(text: str, language: str = "en-us") -> list[tuple[str, str]]:
    return [(problem.kind, problem.severity) for problem in text_problems(made("a", text=text), language)]


@pytest.mark.parametrize(
    ("text", "kind", "severity"),
    [
        ("Salt &amp; pepper.", "markup", "warning"),
        ("He went home. <br>", "markup", "warning"),
        ("Oh no! [laughs]", "not-spoken", "warning"),
        ("Oh no! (x2)", "not-spoken", "warning"),
        ("She said (sighs deeply) that it was late.", "not-spoken", "warning"),
        ("*coughs* I am fine.", "not-spoken", "warning"),
        ("Det är en vacker dag och jag vet inte vad du heter.", "other-language", "error"),
    ],
)
def test_what_nobody_speaks_is_told(text: str, kind: str, severity: str) -> None:
    assert kinds(text) == [(kind, severity)]


@pytest.mark.parametrize(
    "text",
    [
        "Salt & pepper, 3 < 4.",
        "She came home (it was late) and slept.",
        "It was *very* late.",
        "The [[ həˈloʊ ]] is for Piper.",
        "[Kokoro](/kˈOkəɹO/) is a heart.",
        "IT WAS THE BEST OF TIMES.",
        "He sang Stille Nacht.",
    ],
)
def test_what_is_spoken_is_not(text: str) -> None:
    assert kinds(text) == []


def test_directions_are_known_in_the_language_of_the_set_and_in_english() -> None:
    assert directions("Nej! (skrattar)", "sv-SE") == ["(skrattar)"]
    assert directions("Nej! (laughs)", "sv-SE") == ["(laughs)"]
    assert directions("No! (skrattar)", "en-us") == []
