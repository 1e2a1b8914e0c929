import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.transcripts.western import western


@pytest.mark.parametrize(
    "text",
    [
        "Müller & Söhne – „Straße“ kostet 5 €; l’été, à l'œuvre, où ça?",
        "¿Qué tal? El niño comió piñas. ¡Olé!",
        "Är du på väg? Vi går över ån.",
        "Não, amanhã há maçãs. Perché no? Così è.",
    ],
)
def test_western_texts_are_read(text: str) -> None:
    assert western(text.encode("cp1252")) == text


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Привет, как дела? Хорошо.", "cp1251"),
        ("Zażółć gęślą jaźń, proszę pana.", "cp1250"),
        ("Καλημέρα σας, τι κάνετε;", "cp1253"),
        ("こんにちは、元気ですか。", "shift-jis"),
        ("plain words", "ascii"),
        ("déjà vu in UTF-8", "utf-8"),
    ],
)
def test_other_encodings_are_not_taken_for_it(text: str, codec: str) -> None:
    assert western(text.encode(codec)) is None


def test_a_text_that_is_utf_8_elsewhere_is_not() -> None:
    assert western("chérie\n".encode("cp1252") + "été\n".encode()) is None


@given(st.binary(max_size=200))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    text = western(data)
    assert text is None or text.encode("cp1252") == data
