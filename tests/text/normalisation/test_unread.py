import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.text.normalisation.all_languages import clauses, close, languages, ours, raw
from voxmatrix.text.normalisation import unread
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.normalisation.spellout import read_spellout

TABLES = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in (Path(unread.__file__).parent / "signs").glob("*.toml")
}


@pytest.fixture(scope="module", autouse=True)
def no_process_left() -> Iterator[None]:
    yield
    close()


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("uk", "Було -5 °C, а потім −3°.", "Було мінус 5 градусів Цельсія, а потім мінус 3 градуси."),
        ("uk", "36,6 і 3,05; 3,14159", "36 кома 6 і 3 кома 0 5; 3 кома 1 4 1 5 9"),
        ("uk", "1 грн, 2 грн, 5 грн, 2,5 грн", "1 гривня, 2 гривні, 5 гривень, 2 кома 5 гривні"),
        ("uk", "5 грн. на день. Ще 5 грн. Кінець", "5 гривень на день. Ще 5 гривень. Кінець"),
        ("uk", "€5 млн і 20 000 ₴", "5 млн євро і 20000 гривень"),
        ("uk", "5 × 6, ±5, § 5, √9", "5 помножити на 6, плюс-мінус 5, параграф 5, корінь з 9"),
        ("uk", "10–12 днів, 1990-1995, 9:00–17:00", "10 до 12 днів, 1990 до 1995, 9:00 до 17:00"),
        ("uk", "Рахунок 2–1, 5-6, 555-1234, 2024-05-17", "Рахунок 2–1, 5-6, 555-1234, 2024-05-17"),
        ("uk", "½, 2½ і ¾", "половина, 2 з половиною і три чверті"),
        ("ru", "Ту-154, -5 и 6 руб. Потом", "Ту-154, минус 5 и 6 рублей. Потом"),
        ("ca", "20 º C, el 2º", "20 graus Celsius, el 2º"),
        ("cs", "1 Kč, 3 Kč, 5 Kč", "1 koruna, 3 koruny, 5 korun"),
        ("eu", "%5, 5 %, 5 €", "ehuneko 5, ehuneko 5, 5 euro"),
        ("nb", "kr 50, 50 kr. til", "50 kroner, 50 kroner til"),
        ("vi", "20.000 đồng, 1.000.000đ, 20.500", "hai mươi nghìn đồng, một triệu đồng, 20.500"),
        ("vi", "3/4, 30/4", "3/4, 30/4"),
        ("uz", "25 yil, 1994 yilda", "yigirma besh yil, bir ming to'qqiz yuz to'qson to'rt yilda"),
        ("hr", "20.000 i 1.500,5", "20000 i 1500,5"),
        ("ja", "気温は-5度、3.5%です", "気温は マイナス 5度, 3 てん 5 パーセント です"),
        ("cmn", "气温-5度，5%", "气温 负 5度, 百分之5"),
        ("hi", "5–10, 20°C, ₹500", "5 से 10, 20 डिग्री सेल्सियस, 500 रुपए"),
        ("tr", "3/4 ve 3/4/2024", "3 bölü 4 ve 3/4/2024"),
        ("ko", "100 & 5 > 3", "100 및 5 크다 3"),
        ("fa-latn", "-5 €", "-5 €"),
        ("xx", "-5 €", "-5 €"),
        ("../../en", "-5 €", "-5 €"),
    ],
)
def test_signs_become_words(language, written, said):
    assert normalise(written, language) == said


@pytest.mark.parametrize("language", TABLES)
def test_every_table_is_whole(language: str) -> None:
    row = TABLES[language]
    assert row.keys() <= {
        *("decimal", "group", "joined", "units", "plurals", "magnitudes", "signs", "spelled", "spellout")
    }
    assert all("{0}" in unit["other"] for unit in row["units"])
    read_spellout(row.get("spellout", {}), {})
    assert normalise("-5 €, 5 × 6 = ½ und 3/4 %5 20.000, 3,5 10–12", language)


#: A text with a sign, and without it.
PROBES = {
    **{sign: (f"5 {sign} 6", "5 6") for sign in "×÷=±<>≤≥&+−"},
    **{sign: (f"{sign} 5", "5") for sign in "≈~#§√€$£¥₽₺₴₹₩₪₫฿%"},
    **{sign: (f"5 {sign}", "5") for sign in ("%", "‰", "€", "$", "zł", "Kč", "грн", "kr", "µm")},
    **{sign: (sign, " ") for sign in "∞½¼¾"},
    **{sign: (f"5{sign}", "5") for sign in ("°", "°C", "°F")},
    "-": ("-5", "5"),
    "–": ("5–6", "5 6"),
    "/": ("3/4", "3 4"),
    ",": ("3,5", "3 5"),
    ".": ("3.5", "3 5"),
}
#: Languages for which no word for minus is known, or none that espeak-ng reads; of some, it reads nothing at all.
NO_MINUS = (
    "bpy chr-US-Qaaa-x-west cmn-latn-pinyin fa-latn fo gn grc hak haw jbo kaa ku la lfn mi mto nci ne nog om pap piqd "
    "py qdb quc qya shn sjn smj tn ug xex"
)
#: The same for the decimal mark, and for euros.
NO_DECIMAL = "an bpy cv fa-latn fo grc hak haw kaa ku la mi my nci ne nog pap piqd py qdb quc qya shn sjn xex"
NO_EURO = "bpy cmn-latn-pinyin fa-latn fo gn grc hak haw io jbo kaa la ms nci ne nog pap piqd py qdb quc qya sjn tn xex"


def is_english(phonemes: str) -> bool:
    return "(en)" in phonemes


@pytest.mark.slow  # it starts an espeak-ng for each language
@pytest.mark.espeak
def test_only_what_espeak_ng_leaves_out_or_says_in_english_becomes_words() -> None:
    unread: dict[tuple[str, str], list[bool]] = {}
    for name in languages():
        signs = [sign for sign, (text, _) in PROBES.items() if normalise(text, name) != text]
        with_it, without = ([PROBES[sign][part] for sign in signs] for part in (0, 1))
        read, said = clauses(name, with_it), raw(name, with_it)
        for sign, phonemes, sounds, bare in zip(signs, read, said, raw(name, without), strict=True):
            spelled = sign.isalpha() or sign in ("°C", "°F", "µm", "-", "−", "/", "¾")
            found = unread.setdefault((name.partition("-")[0], sign), [])
            found.append(is_english(phonemes) or sounds == bare or spelled)
    assert [each for each, found in unread.items() if not any(found)] == []


@pytest.mark.slow  # it starts an espeak-ng for each language
@pytest.mark.espeak
def test_no_word_is_said_in_english_in_place_of_a_sign() -> None:
    for name in languages():
        texts = [text for text, _ in PROBES.values() if text not in ("¾", "5 µm")]
        if is_english(*clauses(name, ["5"])):  # Nepali
            continue
        changed = [said for text in texts if (said := normalise(text, name)) != text]
        assert [said for said, read in zip(changed, clauses(name, changed), strict=True) if is_english(read)] == [], (
            name
        )


@pytest.mark.espeak
def test_a_minus_a_decimal_mark_and_a_currency_are_heard_in_every_language() -> None:
    lost: dict[str, set[str]] = {"minus": set(), "decimal": set(), "euro": set()}
    for name in languages():
        mark = TABLES.get(name.partition("-")[0], {}).get("decimal", ".")
        texts = ["5", "-5", "−5", "3 5", f"3{mark}5", "5 €", "€5"]
        five, minus, sign, apart, decimal, behind, before = ours(name, texts)
        lost["minus"] |= {name} if five in (minus, sign) or minus != sign else set()
        lost["decimal"] |= {name} if apart == decimal else set()
        lost["euro"] |= {name} if five in (behind, before) else set()
    known = {"minus": NO_MINUS, "decimal": NO_DECIMAL, "euro": NO_EURO}
    assert {sign: names - set(known[sign].split()) for sign, names in lost.items()} == {sign: set() for sign in known}


@pytest.mark.espeak
def test_round_numbers_are_said_as_large_as_they_are() -> None:
    wrong = []
    for name in languages():
        group = TABLES.get(name.partition("-")[0], {}).get("group")
        if group:
            grouped, plain = ours(name, [f"20{group}000", "20000"])
            wrong += [name] if grouped != plain else []
    assert wrong == []
    assert "xo1ŋtʃam" not in "".join(ours("vi", ["20.000"]))
