"""The voice's card: what Piper wrote is read, what is wrong is named, what we do not know is kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.errors import BadInputError, DamagedFileError, VoxmatrixError
from voxmatrix.piper.config import MAX_BYTES, VoiceConfig, language_of
from voxmatrix.text.symbols import default_map

REQUIRED = ["audio.sample_rate", "espeak.voice", "num_symbols", "num_speakers", "phoneme_id_map"]


def public() -> dict[str, Any]:
    """The JSON of a public voice of Piper, with keys that only other programs know."""
    return {
        "audio": {"sample_rate": 22050, "quality": "medium", "future": 1},
        "espeak": {"voice": "en-us", "future": 2},
        "inference": {"noise_scale": 0.5, "length_scale": 1.1, "noise_w": 0.7, "phoneme_silence": {".": 1}},
        "phoneme_type": "espeak",
        "phoneme_map": {},
        "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [14], "ʲ": [119, 5]},
        "num_symbols": 256,
        "num_speakers": 2,
        "speaker_id_map": {"p239": 0, "p236": 1},
        "piper_version": "1.0.0",
        "language": {"code": "en_US", "family": "en", "region": "US", "name_native": "English"},
        "dataset": "arctic",
    }


def test_a_public_voice_is_read() -> None:
    config = VoiceConfig.from_json(public())

    assert (config.rate_hz, config.num_symbols, config.num_speakers, config.espeak_voice) == (22050, 256, 2, "en-us")
    assert (config.noise_scale, config.length_scale, config.noise_w, config.hop) == (0.5, 1.1, 0.7, 256)
    assert config.id_map["ʲ"] == [119, 5] and config.speaker_id_map["p236"] == 1
    assert config.quality == "medium" and config.dataset == "arctic" and config.default_speaker == 0


def test_keys_that_we_do_not_know_come_back(tmp_path: Path) -> None:
    VoiceConfig.from_json(public()).write(tmp_path / "a.json")

    again = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))

    assert {key: again[key] for key in public()} == public()
    VoiceConfig.read(tmp_path / "a.json").write(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_version_of_espeak_ng_is_read_and_kept() -> None:
    config = VoiceConfig.from_json({**public(), "espeak": {"voice": "sv", "version": "1.52.0.1"}})

    assert config.espeak_version == "1.52.0.1"
    assert config.to_json()["espeak"] == {"voice": "sv", "version": "1.52.0.1"}
    assert VoiceConfig.from_json({**public(), "espeak": {"voice": "sv", "version": 1}}).espeak_version == ""
    assert "version" not in VoiceConfig.from_json(public()).to_json()["espeak"]


def test_clusters_of_vowels_are_read_and_kept() -> None:
    config = VoiceConfig.from_json({**public(), "vowel_clusters": [["a", "ɪ"], ["o", "ʊ"], 3]})

    assert config.vowel_clusters == {("a", "ɪ"), ("o", "ʊ")}
    assert config.to_json()["vowel_clusters"] == [["a", "ɪ"], ["o", "ʊ"], 3]
    assert VoiceConfig.from_json(public()).vowel_clusters == frozenset()


def test_what_goes_out_has_the_name_of_its_file_and_no_symbol_that_nothing_says() -> None:
    table = default_map("espeak")
    config = VoiceConfig.from_json({**public(), "phoneme_id_map": table})

    published = config.published("me").to_json()

    assert published["dataset"] == "me"
    assert published["phoneme_id_map"] == {symbol: ids for symbol, ids in table.items() if ids[0] < 161}
    assert published["num_symbols"] == 256, "the network has as many as before"


def test_symbols_of_several_letters_go_out_where_something_says_them() -> None:
    table = {**default_map("espeak"), "ts": [7]}
    clusters = VoiceConfig.from_json({**public(), "phoneme_id_map": table, "vowel_clusters": [["a", "ɪ"]]})
    pinyin = VoiceConfig.from_json({**public(), "phoneme_id_map": table, "phoneme_type": "pinyin"})

    assert [one for one in clusters.published("me").id_map if len(one) > 1] == ["aɪ"]
    assert dict(pinyin.published("me").id_map) == table


def test_what_is_optional_has_pipers_defaults() -> None:
    small = {key: public()[key] for key in ("audio", "espeak", "num_symbols", "num_speakers", "phoneme_id_map")}

    config = VoiceConfig.from_json(small)

    assert (config.noise_scale, config.length_scale, config.noise_w) == (0.667, 1.0, 0.8)
    assert config.phoneme_type == "espeak" and config.speaker_id_map == {}
    assert config.to_json()["language"] == {"code": "en_US", "family": "en", "region": "US"}


@pytest.mark.peers
def test_piper_reads_what_we_write() -> None:
    from piper.config import PiperConfig

    ours = VoiceConfig(
        rate_hz=16000,
        num_symbols=256,
        num_speakers=3,
        espeak_voice="sv",
        phoneme_type="text",
        id_map=default_map("text"),
        speaker_id_map={"a": 0, "b": 1, "c": 2},
        default_speaker=2,
        length_scale=1.25,
    )

    theirs = PiperConfig.from_dict(json.loads(ours.encoded()))

    assert (theirs.sample_rate, theirs.num_symbols, theirs.num_speakers) == (16000, 256, 3)
    assert theirs.phoneme_type.value == "text" and theirs.length_scale == 1.25 and theirs.default_speaker_id == 2
    assert theirs.phoneme_id_map == default_map("text") and theirs.espeak_voice == "sv"


@pytest.mark.parametrize("key", REQUIRED)
def test_a_required_key_that_is_missing_is_named(key: str) -> None:
    raw = public()
    *folders, last = key.split(".")
    place = raw
    for folder in folders:
        place = place[folder]
    del place[last]

    with pytest.raises(BadInputError, match=key.replace(".", r"\.")) as caught:
        VoiceConfig.from_json(raw, "x.onnx.json")

    assert "x.onnx.json" in caught.value.problem and caught.value.remedy


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_symbols", "256"),
        ("num_symbols", True),
        ("num_symbols", 0),
        ("num_symbols", 10**30),
        ("num_speakers", -1),
        ("num_speakers", 2.5),
        ("audio", {"sample_rate": 0}),
        ("audio", {"sample_rate": float("nan")}),
        ("audio", []),
        ("espeak", {"voice": 7}),
        ("espeak", "en"),
        ("phoneme_id_map", []),
        ("phoneme_id_map", {"a": [1]}),
        ("phoneme_id_map", {"_": 0, "^": [1], "$": [2]}),
        ("phoneme_id_map", {"_": [0.5], "^": [1], "$": [2]}),
        ("phoneme_id_map", {"_": [0], "^": [1], "$": [256]}),
        ("phoneme_type", ["espeak"]),
        ("speaker_id_map", {"bo": 2}),
        ("speaker_id_map", {"bo": "1"}),
        ("speaker_id_map", ["bo"]),
        ("default_speaker_id", 2),
        ("inference", {"length_scale": 0}),
        ("inference", {"noise_scale": -1}),
        ("inference", {"noise_w": float("nan")}),
        ("inference", {"noise_w": 10**400}),
        ("hop_length", 0),
        ("language", "English"),
        ("voxmatrix", 3),
    ],
)
def test_a_value_that_makes_no_sense_is_named(key: str, value: object) -> None:
    with pytest.raises(BadInputError, match=key):
        VoiceConfig.from_json({**public(), key: value})


def test_a_symbol_beyond_the_network_counts_as_missing() -> None:
    raw = public()
    raw["phoneme_id_map"]["ŝ"] = [256]

    assert "ŝ" not in VoiceConfig.from_json(raw).id_map


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"voice"', "{}" * 2, "[" * 100_000, '{"a": 1e', "\x00"])
def test_what_is_no_card_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.json").write_text(text)

    with pytest.raises((BadInputError, DamagedFileError), match=r"v\.json") as caught:
        VoiceConfig.read(tmp_path / "v.json")

    assert caught.value.remedy


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_bytes(b"\xff\xfe{\x00")

    with pytest.raises(BadInputError, match=r"v\.json"):
        VoiceConfig.read(tmp_path / "v.json")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "v.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    with pytest.raises(DamagedFileError, match="16,777,217 bytes"):
        VoiceConfig.read(tmp_path / "v.json")


@pytest.mark.parametrize("name", ["missing.json", "folder", "file/below.json"])
def test_a_card_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    with pytest.raises(BadInputError, match=name.split("/", maxsplit=1)[0]):
        VoiceConfig.read(tmp_path / name)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(json.dumps(public()), encoding="utf-8-sig")

    assert VoiceConfig.read(tmp_path / "v.json").rate_hz == 22050


@pytest.mark.parametrize(
    ("voice", "code", "region"),
    [("sv", "sv", ""), ("en-us", "en_US", "US"), ("pt-br", "pt_BR", "BR"), ("en-gb-x-rp", "en", "")],
)
def test_a_language_has_pipers_form(voice: str, code: str, region: str) -> None:
    assert language_of(voice) == {"code": code, "family": voice[:2], "region": region}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(200))
@given(st.sampled_from([*public(), "default_speaker_id", "hop_length", "voxmatrix"]), JSON)
def test_any_value_is_read_or_refused_in_our_words(key: str, value: object) -> None:
    try:
        config = VoiceConfig.from_json({**public(), key: value})
    except VoxmatrixError as error:
        assert error.exit_code == 3 and key in error.problem
    else:
        assert VoiceConfig.from_json(config.to_json()).num_symbols == config.num_symbols


@pytest.mark.parametrize(
    "voice", ["en-us", "sv", "en-gb-x-rp", "en-029", "cmn-latn-pinyin", "en-us+f2", "fr_FR", "mb-en1"]
)
def test_names_of_espeak_ng_are_languages(voice: str) -> None:
    assert VoiceConfig.from_json({**public(), "espeak": {"voice": voice}}).espeak_voice == voice


@pytest.mark.parametrize(
    "voice",
    ["../../etc", "gmw/en", "-w x", "en us", "en\nus", "\x1b]0;title\x07", "a" * 200_000, "", "..", "\u202een", "é"],
)
def test_what_is_no_language_is_not_given_to_espeak_ng(voice: str) -> None:
    with pytest.raises(BadInputError, match=r"espeak\.voice is") as caught:
        VoiceConfig.from_json({**public(), "espeak": {"voice": voice}})
    assert len(caught.value.problem) < 300


@pytest.mark.peers
def test_piper_knows_every_language_by_the_name_that_is_written() -> None:
    import piper
    from piper.phonemize_espeak import EspeakPhonemizer

    files = (Path(piper.__file__).parent / "espeak-ng-data" / "lang").rglob("*")
    lines = [line.split() for file in files if file.is_file() for line in file.read_text(encoding="utf-8").splitlines()]
    languages = {words[1] for words in lines if words[:1] == ["language"]}
    written = [
        replace(VoiceConfig.from_json(public()), espeak_voice=one).to_json()["espeak"]["voice"] for one in languages
    ]
    phonemizer = EspeakPhonemizer()

    assert {"en-gb", "fr-fr", "de"} <= languages
    for one in written:
        phonemizer.phonemize(one, "a")  # raises an error if it is not known
