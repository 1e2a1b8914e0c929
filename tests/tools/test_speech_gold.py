from pathlib import Path

import pytest

from tools.speech_gold import __main__ as speech_gold
from tools.speech_gold.gold import Novel, chapters, digest_of, novels

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><p>Anna<note><p>A note.</p></note> came.</p>
<p>— Oui, dit
Paul.</p></div><div><p>— Non, c’est <hi>lui</hi> : « Venez. » Elle rit.</p></div></body></text></TEI>"""
PARAGRAPHS = [["Anna came.", "— Oui, dit Paul."], ["— Non, c’est lui : « Venez. » Elle rit."]]


def test_paragraphs_of_tei(tmp_path: Path) -> None:
    path = tmp_path / "book.xml"
    path.write_text(TEI, encoding="utf-8")
    assert chapters(path) == PARAGRAPHS


def novel(folder: Path, *spoken: str) -> Novel:
    """Marks of the three paragraphs."""
    texts = [(f"{number}.{index}", text) for number, own in enumerate(PARAGRAPHS) for index, text in enumerate(own)]
    lines = [f"{place} {digest_of(text)} {each}" for (place, text), each in zip(texts, spoken, strict=True)]
    path = folder / "fr.txt"
    path.write_text("\n".join(["# book.xml held", *lines]), encoding="utf-8")
    return next(novels(path))


def test_marks_are_runs_of_words(tmp_path: Path) -> None:
    texts = [text for chapter in PARAGRAPHS for text in chapter]
    marked = novel(tmp_path, ".", "-1", "0,1@lui,2")
    spans = [each.spans(text) for each, text in zip(marked.paragraphs, texts, strict=True)]
    assert [[text[slice(*span)] for span in each] for text, each in zip(texts, spans, strict=True)] == [
        [],
        ["Oui"],
        ["Non", "lui", "Venez"],
    ]
    with pytest.raises(ValueError, match="another one: 'Anna'"):
        marked.paragraphs[0].spans("Anna")


def test_what_is_found_is_counted(tmp_path: Path) -> None:
    figures = speech_gold.measure(novel(tmp_path, ".", "0", "0-2"), PARAGRAPHS, "fr")
    assert figures == speech_gold.Figures(
        pieces=2, found_pieces=2, right_pieces=1, letters=18, found_letters=25, right_letters=18
    )
    assert figures.told() == "   2 pieces:  50.0 found,  50.0 right; letters: recall 100.0, precision  72.0"


@pytest.mark.parametrize("language", ["de", "es", "fr", "pl", "sv"])
def test_each_language_has_300_paragraphs_of_ten_novels(language: str) -> None:
    found = list(novels(Path(speech_gold.__file__).with_name(f"{language}.txt")))
    assert len(found) == 10
    assert sum(one.held for one in found) == 5
    assert len({(one.name, each.chapter, each.index) for one in found for each in one.paragraphs}) == 300
