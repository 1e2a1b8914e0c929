import sys
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text.normalisation import chinese_japanese
from voxmatrix.text.normalisation.normalise import normalise


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("cmn", "2024年5月3日花了27.50元", "二零二四年五月三日花了二十七点五零元"),
        ("zh-CN", "气温-5℃", "气温负五摄氏度"),
        ("cmn", "占3/4", "占四分之三"),
        ("ja", "2024年5月3日に1234円", "二千二十四年五月三日に千二百三十四円"),
        ("ja-JP", "\uff11\uff12人", "十二人"),
    ],
)
def test_numbers_are_said(language, written, said):
    assert normalise(written, language, by_espeak=False) == said


def test_espeak_ng_reads_its_own_digits():
    assert normalise("3日", "ja") == "3日"  # and no kanji


@pytest.mark.parametrize("text", ["今天天气很好。", "嗯，我们走吧！", "吾輩は猫である。"])
def test_a_text_without_numbers_is_not_touched(text, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "wetext", None)  # an import would fail
        chinese_japanese._normalizer.cache_clear()
        assert chinese_japanese.say_numbers(text, "cmn") == text


@pytest.mark.parametrize("language", ["yue", "ko", "vi", "en", ""])
def test_other_languages_are_not_read(language):
    assert not chinese_japanese.is_read(language)


def test_without_wetext_espeak_ng_has_the_digits(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert normalise("5月3日", "cmn", by_espeak=False) == "5月3日"


@settings(max_examples=examples(100))
@given(
    st.text(st.sampled_from("0123456789年月日元，。./%-:℃ ＃abAB「」\U000f0000\n"), max_size=40),
    st.sampled_from(["cmn", "ja"]),
)
def test_no_text_is_too_much_and_marks_of_phonemes_stay(text, language):
    said = normalise(text, language, by_espeak=False)
    assert said.count("\U000f0000") == text.count("\U000f0000")


def test_many_threads_read_at_once():
    said = []
    threads = [Thread(target=lambda: said.append(normalise("3月5日", "cmn", by_espeak=False))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == ["三月五日"] * 8
