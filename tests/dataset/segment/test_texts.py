from voxmatrix.dataset.segment.texts import Script, told_at_times

ONE, TWO = "It was a bright cold day in April.", "The clocks were striking thirteen."


def told(heard: str, text: str = ONE) -> tuple[str, str]:
    (one,) = told_at_times([(heard, 0.9)], [(1, text)], "en-us")
    return one.text, one.reason


def test_a_label_has_all_of_its_words_and_its_spelling() -> None:
    assert told("it was a bright cold day in april") == (ONE, "")
    assert told("it was a bride cold day in April") == (ONE, "")


def test_a_label_of_which_others_were_heard_is_doubtful() -> None:
    assert told(TWO) == (ONE, "doubtful")
    assert told("It was a bright") == (ONE, "doubtful")
    assert told(f"{ONE} {TWO}") == (ONE, "doubtful")
    assert told("")[1] == "nothing-heard"


def test_a_long_label_is_read_in_several_clips() -> None:
    heard = [(ONE, 0.9), (TWO, 0.9), (ONE, 0.9)]
    found = told_at_times(heard, [(2, f"{ONE} {TWO}"), (0, "lost"), (1, ONE)], "en-us")
    assert [one.text for one in found] == [ONE, TWO, ONE]
    assert not any(one.reason for one in found)


def test_a_part_of_a_script_keeps_its_sentences() -> None:
    script = Script.of(f"{ONE} {TWO}", "en-us")
    assert script.part(-5, 8) == Script(script.words[:8], [8])
    assert script.part(8, 99) == Script(script.words[8:], [5])
