import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.errors import BadInputError, MissingProgramError, UsageError
from voxmatrix.landlock import landlock_version
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.phonemes.espeak import LIBRARY_VARIABLE, Espeak
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer, TextPhonemizer, has_vowels, marks, phonemizer
from voxmatrix.text.phonemes.piper_tts import PiperTts
from voxmatrix.text.symbols import default_map, to_ids

#: Forty sentences a language, named after its voice.
SENTENCES = Path(__file__).parents[1] / "data" / "piper"
#: So many of them read the same with espeak-ng 1.52.0 and with the one in piper-tts 1.8.0, which has the Swedish and
#: Portuguese of 2026 and writes `ia` as `iʲa` in every language. With 1.51 it is 0 in Chinese and 23 in Russian.
SAME_IN_BOTH_VERSIONS = {"cmn": 40, "de": 29, "es": 23, "fr": 37, "pt-br": 0, "ru": 36, "sv": 7}


def piper_phonemes(voice: str, text: str) -> list[str]:
    try:
        return pipers_process().submit(phonemes_in_piper, voice, text).result()
    except BrokenProcessPool:  # seen once in some ten thousand calls
        pipers_process.cache_clear()
        return pipers_process().submit(phonemes_in_piper, voice, text).result()


@cache
def pipers_process() -> ProcessPoolExecutor:
    """A process of its own: a crash of Piper's library would end all tests of this one."""
    return ProcessPoolExecutor(1, get_context("spawn"))


@pytest.fixture(scope="module", autouse=True)
def no_process_left() -> Iterator[None]:
    yield
    if pipers_process.cache_info().currsize:
        pipers_process().shutdown()


def phonemes_in_piper(voice: str, text: str) -> list[str]:
    from piper.phonemize_espeak import EspeakPhonemizer as PiperPhonemizer

    return [phoneme for sentence in PiperPhonemizer().phonemize(voice, text) for phoneme in sentence]


def sentences(voice: str) -> list[str]:
    return (SENTENCES / f"{voice}.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def pipers_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The espeak-ng that piper-tts carries: with it, whatever differs from Piper is ours."""
    from piper import espeakbridge

    monkeypatch.setenv(LIBRARY_VARIABLE, espeakbridge.__file__)


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_library")
@pytest.mark.parametrize("language", SAME_IN_BOTH_VERSIONS)
def test_forty_sentences_of_a_language_have_pipers_phonemes_with_pipers_library(language):
    with EspeakPhonemizer(language) as ours:
        for text in sentences(language):
            assert ours.phonemes([text])[0] == piper_phonemes(language, text), text


@pytest.mark.peers
@pytest.mark.espeak
@pytest.mark.parametrize("language", SAME_IN_BOTH_VERSIONS)
def test_with_the_packaged_library_they_differ_only_where_the_dictionaries_do(language):
    with EspeakPhonemizer(language) as ours:
        pairs = [(ours.phonemes([text])[0], piper_phonemes(language, text)) for text in sentences(language)]
    assert sum(mine == theirs for mine, theirs in pairs) >= SAME_IN_BOTH_VERSIONS[language]
    for mine, theirs in pairs:
        assert [sign for sign in mine if sign in ".,;:!?"] == [sign for sign in theirs if sign in ".,;:!?"]


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_library")
def test_two_hundred_sentences_have_pipers_phonemes_and_ids(voice, texts):
    from piper.phoneme_ids import phonemes_to_ids

    assert len(texts) == 100
    with EspeakPhonemizer(voice) as ours:
        for text in texts:
            said = normalise(text, voice)
            piper = piper_phonemes(voice, said)
            assert ours.phonemes([said])[0] == piper, said
            assert to_ids(piper, default_map("espeak"))[0] == phonemes_to_ids(piper), said


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_library")
@pytest.mark.parametrize("language", ["en-us", "sv", "de", "fr"])
def test_odd_punctuation_is_read_as_piper_reads_it(language):
    texts = [
        "Hello (you) there - a dash — em… end",
        "It's 5:30, 1,000.5 a.b.c. it. It",
        "wait... what?! no!!! Ok",
        "He said: 'no.' And \"left.\" She. 'single'",
        "J. K. Rowling, U.S.A. today; the end.",
        "one,. two., three!, four?. five:; six",
        "«Oui.» he said (maybe.) [Then] <gone>.",
        "Ludwig XIV. Kaiser. Am 3. Mai.",
        "mama。 bonjour, papa! مرحبا؟ ok",
        "no space,here.there;or:here",
        "two marks at the end..",
        "after them",
    ]
    with EspeakPhonemizer(language) as ours:
        for text in texts:
            piper_phonemes(language, "")  # Piper lets the last of two marks fall into the next text
            assert ours.phonemes([text])[0] == piper_phonemes(language, text), text


@pytest.mark.espeak
def test_punctuation_stays_and_language_flags_go():
    with EspeakPhonemizer("sv") as ours:
        said = "".join(ours.phonemes(["Hej, computer! Hur: mår; du?"])[0])
    assert "(" not in said
    assert [character for character in said if character in ",.;:!?"] == [",", "!", ":", ";", "?"]
    assert ", " in said and ": " in said and "; " in said and "! " not in said


@pytest.mark.espeak
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\x00\x01\x02",
        "\x01Vsv ",
        "[[h@'loU]]",
        "]]",
        "<voice name='x'>",
        "-v sv",
        "--help",
        "\ud800",
        "\ue000",
        "two marks at the end..",
        "V|..",
        "\u202e\ufdfa\U0001f469\u200d\U0001f680",
        "a" * 100_000,
        "(" * 10_000,
    ],
)
def test_hostile_text_changes_nothing_for_the_next_sentence(text):
    with EspeakPhonemizer("en-us") as ours:
        expected = ours.phonemes(["A plain sentence."])[0]
        ours.phonemes([text])[0]
        assert ours.phonemes(["A plain sentence."])[0] == expected


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_library")
@pytest.mark.parametrize(
    "text",
    [
        "I am the [[ bˈætmæn ]] not [[bɹˈuːs weɪn]].",
        "[[həlˈoʊ]] world",
        "a, [[b]]c [[d]]",
        "no [[ ]] phonemes",
        "[[a]]",
    ],
)
def test_phonemes_in_brackets_are_spoken_as_they_are_as_in_piper(text):
    from piper import PiperVoice
    from piper.config import PhonemeType
    from piper.phonemize_espeak import ESPEAK_DATA_DIR

    piper = PiperVoice.__new__(PiperVoice)
    piper.config = SimpleNamespace(phoneme_type=PhonemeType.ESPEAK, espeak_voice="en-us", vowel_clusters=None)
    piper.espeak_data_dir, piper.use_tashkeel = ESPEAK_DATA_DIR, False
    with EspeakPhonemizer("en-us") as ours:
        assert ours.phonemes([text])[0] == [phoneme for sentence in piper.phonemize(text) for phoneme in sentence]


def test_phonemes_that_were_written_for_kokoro_are_ipa_for_other_voices():
    with phonemizer("espeak", "en-us") as opened:
        assert opened.phonemes(["[[kˈOkəɹO ʧIld]] A"])[0][:16] == list("kˈoʊkəɹoʊ tʃaɪld")[:16]
    with EspeakPhonemizer("en-us", convert=lambda phonemes: phonemes) as opened:
        assert opened.phonemes(["[[kˈOkəɹO]]"]) == [list("kˈOkəɹO")]


def test_phonemes_in_brackets_are_for_voices_without_espeak_too():
    assert TextPhonemizer().phonemes(["Ab [[Ç^]] cd"])[0] == ["a", "b", " ", "Ç", "^", " ", "c", "d"]


@pytest.mark.espeak
def test_orders_to_espeak_inside_a_text_are_only_text():
    with EspeakPhonemizer("en-us") as ours:
        assert ours.phonemes(["cat [dog]\x01Vde cow"])[0] == ours.phonemes(["cat (dog) Vde cow"])[0]
        assert ours.phonemes(["one\ntwo\rthree"])[0] == ours.phonemes(["one two three"])[0]


@pytest.mark.espeak
def test_a_text_far_longer_than_a_line_is_read_whole():
    with EspeakPhonemizer("en-us") as ours:
        once = "".join(ours.phonemes(["the quick brown fox, "])[0])
        assert "".join(ours.phonemes(["the quick brown fox, " * 500])[0]).count(once.strip(" ,")) >= 490
        assert len(ours.phonemes(["supercalifragilistic" * 500])[0]) > 1000
        assert len(ours.phonemes(["ö日" * 2000])[0]) > 2000


@pytest.mark.espeak
def test_any_text_at_all_keeps_questions_and_answers_together():
    with EspeakPhonemizer("en-us") as ours:
        expected = ours.phonemes(["Still in step, is it not?"])[0]

        @settings(max_examples=examples(150))
        @given(st.text(max_size=200))
        def check(text: str) -> None:
            ours.phonemes([text])[0]
            assert ours.phonemes(["Still in step, is it not?"])[0] == expected

        check()


@pytest.mark.espeak
def test_two_phonemizers_do_not_disturb_each_other():
    with EspeakPhonemizer("en-us") as english, EspeakPhonemizer("sv") as swedish:
        first = english.phonemes(["Hello, world."])[0], swedish.phonemes(["Hej, världen."])[0]
        for _ in range(20):
            assert (english.phonemes(["Hello, world."])[0], swedish.phonemes(["Hej, världen."])[0]) == first


def test_without_espeak_letters_are_small_and_accents_apart():
    assert TextPhonemizer().phonemes(["Åh, É_^$!"])[0] == ["a", "\u030a", "h", ",", " ", "e", "\u0301", "!"]


def test_a_phonemizer_is_made_by_its_type():
    assert isinstance(phonemizer("text", "en-us"), TextPhonemizer)
    with pytest.raises(UsageError, match="'tones'"):
        phonemizer("tones", "en-us")


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        (["One, t", "wo; t", "hree: f", "our."], [",", ";", ":", "."]),
        (["Why? O", "h! N", "o"], ["?", "!", ""]),
        (["It costs 1,000.5 at 5:30"], [""]),
        (["wait... w", "hat"], ["", ""]),
        (["he (said.)", " She"], [".", ""]),
        (["one – t", "wo — t", "hree"], [";", ";", ""]),
        (["你好。他", "来了！好"], ["", ""]),
        (["كيف؟ ن", "عم"], ["?", ""]),
        (["J. B", ". X", "y"], [".", ".", ""]),  # the letter of the second clause was read with the first
        (["VB. –", " e"], [".", ""]),  # what was read too far may be a mark itself
        (["What?!? N", "o"], ["?", ""]),  # of several marks the first counts
        (["?! what"], [""]),
        (["end.)", ""], [".", ""]),
        (["... then"], [""]),
        (["word " * 40, "more " * 40], ["", ""]),  # broken by espeak-ng because it is long
        ([""], [""]),
    ],
)
def test_a_mark_is_found_where_a_clause_ends(clauses, expected):
    ends = [len("".join(clauses[:number])) for number in range(1, len(clauses) + 1)]
    assert list(marks("".join(clauses), ends)) == expected


@settings(max_examples=examples(300))
@given(st.text(alphabet="aé1 .,;:!?…—()\"'。¿", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_any_ends_in_any_text_have_a_mark_each(text, cuts):
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    found = list(marks(text, ends))
    assert len(found) == len(ends)
    assert all(re.fullmatch(r"[.,:;!?]?", mark) for mark in found)


@pytest.mark.parametrize("text", ["مَرْحَبًا كَيْفَ حَالُكَ", "3.5 km", ""])
def test_texts_with_vowel_signs_are_known(text):
    assert has_vowels(text)
    assert not has_vowels("مرحبا كيف حالك")


ARABIC = ["مرحبا بالعالم.", "ذهب الولد إلى المدرسة في الساعة 5؟", "السلام عليكم، كيف حالكم اليوم؟", "كتب"]


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_library")
def test_arabic_gets_pipers_vowels_and_phonemes():
    with EspeakPhonemizer("ar") as arabic:
        found = arabic.phonemes(ARABIC)
        signed = arabic.phonemes(["مَرْحَبًا"])
        assert signed == [piper_phonemes("ar", "مَرْحَبًا")]  # as it is written
    for text, phonemes in zip(ARABIC, found, strict=True):
        vowelled = pipers_process().submit(vowels_in_piper, text).result()
        assert phonemes == piper_phonemes("ar", vowelled)


def vowels_in_piper(text: str) -> str:
    from piper.tashkeel import TashkeelDiacritizer

    return TashkeelDiacritizer()(text)


#: Answers as espeak-ng and, for its kinds, as if a package of piper-tts were not installed.
WITHOUT_PIPER = """
import json, sys
missing = {"arabic": "piper", "japanese": "pyopenjtalk", "hebrew": "piper", "thai": "tltk.nlp"}.get(sys.argv[-1])
print(json.dumps({"missing": missing} if missing else {"version": "1.52.0"}), flush=True)
for line in sys.stdin.buffer:
    print(json.dumps([[["a", len(text.decode("unicode_escape"))]] for text in line.split(b"\\t")[:-1]]), flush=True)
"""


def test_arabic_without_vowel_signs_and_without_piper_says_what_to_install(server):
    server(WITHOUT_PIPER)
    with EspeakPhonemizer("ar") as arabic, EspeakPhonemizer("fa") as persian:
        assert arabic.phonemes(["مَرْحَبًا"]) == persian.phonemes(["مرحبا کیف"]) == [["a"]]
        with pytest.raises(BadInputError, match="no vowel signs") as caught:
            arabic.phonemes(["مرحبا كيف"])
    assert 'pip install "piper-tts"' in caught.value.remedy


@pytest.mark.parametrize(
    ("kind", "package"), [("japanese", "piper-tts[ja]"), ("thai", "piper-tts[th]"), ("hebrew", "piper-tts")]
)
def test_a_package_that_a_type_needs_is_named(server, kind, package):
    server(WITHOUT_PIPER)
    with phonemizer(kind, "xx") as opened, pytest.raises(MissingProgramError, match="not installed") as caught:
        opened.phonemes(["…"])
    assert caught.value.remedy == f'pip install "{package}"'


@pytest.mark.peers
def test_hebrew_has_pipers_phonemes_and_given_ones_stay():
    from piper.phonemize_hebrew import HebrewPhonemizer

    with phonemizer("hebrew", "he") as opened:
        plain, given = opened.phonemes(["שלום עולם.", "שלום [[abc]] עולם."])
    assert plain == HebrewPhonemizer().phonemize("שלום עולם.")[0]
    assert "".join(given).find(" abc ") > 0


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_programs_that_pronounce_are_limited(server):
    server(WITHOUT_PIPER)
    with Espeak("en") as espeak, PiperTts("hebrew") as piper:
        for program in (espeak, piper):
            assert "NoNewPrivs:\t1" in Path(f"/proc/{program.pid}/status").read_text()


@pytest.mark.espeak
def test_kanji_are_refused_where_espeak_ng_cannot_read_them():
    with EspeakPhonemizer("ja") as japanese, EspeakPhonemizer("cmn") as chinese:
        assert japanese.phonemes(["とうきょうは、5。"])[0]
        assert chinese.phonemes(["東京"])[0]
        with pytest.raises(BadInputError, match="cannot read kanji"):
            japanese.phonemes(["東京は日本の首都です。"])
