import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.errors import UsageError
from voxmatrix.text.symbols import (
    BOS,
    EOS,
    NUM_SYMBOLS,
    PAD,
    default_map,
    letters,
    map_for,
    merged,
    to_ids,
    with_capitals,
)


@pytest.mark.peers
def test_the_espeak_table_is_pipers():
    from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

    assert default_map("espeak") == DEFAULT_PHONEME_ID_MAP


@pytest.mark.peers
@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from([*default_map("espeak"), "¤"])))
def test_ids_are_framed_and_padded_as_in_piper(phonemes):
    from piper.phoneme_ids import phonemes_to_ids

    ids, missing = to_ids(phonemes, default_map("espeak"))
    assert ids == phonemes_to_ids(phonemes)
    assert missing == ({"¤"} & set(phonemes))


def test_ids_are_framed_and_padded():
    assert to_ids(["a", "b"], default_map("espeak")) == ([1, 0, 14, 0, 15, 0, 2], set())
    assert to_ids([], default_map("espeak")) == ([1, 0, 2], set())


@pytest.mark.parametrize("phoneme_type", ["espeak", "text"])
def test_every_table_begins_with_the_frame_and_fits(phoneme_type):
    table = default_map(phoneme_type)
    assert [table[symbol] for symbol in (PAD, BOS, EOS, " ")] == [[0], [1], [2], [3]]
    ids = sorted({ids[0] for ids in table.values()})
    assert ids == list(range(len(ids)))
    assert len(ids) <= NUM_SYMBOLS


def test_a_map_is_a_new_one_each_time():
    default_map("text")["a"].append(7)
    default_map("text").clear()
    assert default_map("text")["a"] != [] and 7 not in default_map("text")["a"]


def test_there_is_no_other_type():
    with pytest.raises(UsageError, match="'runes'"):
        default_map("runes")


@pytest.mark.parametrize(
    "text", ["Ångström, ÇA VA? Žluťoučký kůň!", "Ελληνικά", "Съешь ещё Ї", "ĲSSELMEER œuvre Þór Łódź", "İstanbul ırmak"]
)
def test_letters_of_european_alphabets_have_symbols_in_both_cases(text):
    import unicodedata

    table = default_map("text")
    small, _ = to_ids(letters(text), table)
    written, missing = to_ids(list(unicodedata.normalize("NFD", text)), table)  # as Piper's runtime looks them up
    assert missing <= {"Ĳ"}
    assert len(small) > 5 and len(written) > 5


def test_a_capital_shares_the_id_of_its_small_letter_and_takes_none_of_another():
    table = with_capitals({"i": [5], "ı": [6], "σ": [7], "ς": [8], "ß": [9], "1": [10]})
    assert table == {"I": [5], "Σ": [7], "i": [5], "ı": [6], "σ": [7], "ς": [8], "ß": [9], "1": [10]}


def test_texts_that_the_default_table_holds_get_the_default_table():
    assert map_for(["Hej på dig!", "Hello"]) == default_map("text")


def test_another_script_goes_behind_the_default_table():
    table = map_for(["नमस्ते", "hello"])
    assert {symbol: table[symbol] for symbol in default_map("text")} == default_map("text")
    assert to_ids(letters("नमस्ते"), table)[1] == set()


def test_a_script_too_large_keeps_its_commonest_letters():
    rare = [chr(0x4E00 + number) for number in range(400)]
    common = "".join(rare[:50]) * 3
    table = map_for([common, "".join(rare)])
    assert max(ids[0] for ids in table.values()) == NUM_SYMBOLS - 1
    assert set(common) <= set(table)
    assert to_ids(rare, table)[1] != set()


@settings(max_examples=examples(100))
@given(st.lists(st.text(max_size=50), max_size=5), st.randoms())
def test_the_same_texts_in_any_order_give_the_same_table(texts, chance):
    shuffled = chance.sample(texts, len(texts))
    assert map_for(texts) == map_for(shuffled)
    assert all(0 <= ids[0] < NUM_SYMBOLS for ids in map_for(texts).values())


def test_phonemes_of_a_cluster_are_one_symbol_and_the_longest_counts():
    clusters = frozenset({("a", "ɪ"), ("a", "ɪ", "ə"), ("ɪ", "ə")})
    assert merged(list("taɪ aɪəɪə"), clusters) == ["t", "aɪ", " ", "aɪə", "ɪə"]
    assert merged(list("aɪ"), frozenset()) == ["a", "ɪ"]
