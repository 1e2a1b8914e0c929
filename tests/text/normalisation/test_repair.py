import pytest

from voxmatrix.text.normalisation.repair import repair, tidy


@pytest.mark.parametrize(
    ("written", "repaired"),
    [
        ("“Hi” ‘you’ «oui»", '"Hi" \'you\' "oui"'),
        ("« oui » and »ja»", '"oui" and "ja"'),
        ("it\u2019s", "it's"),
        ("a\u00a0b\u2009c\td", "a b c d"),
        ("zero\u200bwidth\ufeff soft\u00adhyphen", "zerowidth softhyphen"),
        ("bell\x07 null\x00 escape\x1b", "bell null escape "),
        ("e\u0301", "é"),
        ("ﬁne ﬂow Ⅳ", "fine flow IV"),
        ("full ＡＢ１", "full AB1"),
        ("٣ and ३", "3 and 3"),
        ("2½ and ¼", "2 1/2 and 1/4"),
        ("smile 😀 now", "smile now"),
        ("one—two – three -- four", "one, two, three, four"),
        ("well, – no", "well, no"),
        ("well-known", "well-known"),
        ("– Hej!", "Hej!"),
        ("wait... what", "wait, what"),
        ("wait… What", "wait. What"),
        ("so . . . no", "so, no"),
        ("end...", "end. "),
        ("你好。他来了！", "你好. 他来了! "),
        ("كيف؟ نعم، لا", "كيف? نعم, لا"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800 lone", " lone"),
    ],
)
def test_characters_are_mended(written, repaired):
    assert repair(written) == repaired


@pytest.mark.parametrize(
    ("written", "tidied"),
    [
        ("a  b , c", "a b, c"),
        ("No!!! Really?!? yes ., so", "No! Really? yes. so"),
        (", first", "first"),
        ("a \n\n\n\n b", "a\n\nb"),
        ("5:30 and 3.14", "5:30 and 3.14"),
        ('He said "yes".', 'He said "yes".'),
    ],
)
def test_spaces_and_marks_are_put_in_order(written, tidied):
    assert tidy(written) == tidied
