import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text.normalisation.language import WITH_TABLE
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

ENGLISH = [
    ("Dr. Smith paid $5.20.", "Doctor Smith paid five dollars and twenty cents."),
    ("Nothing to do here.", "Nothing to do here."),
    # money
    (
        "It cost $1, £3m, €0.99 and ¥500.",
        "It cost one dollar, three million pounds, ninety-nine cents and five hundred yen.",
    ),
    ("$1,234.56", "one thousand two hundred and thirty-four dollars and fifty-six cents"),
    ("$2.5 billion or -$5", "two point five billion dollars or minus five dollars"),
    ("20 SEK, USD 7, 5 kr", "twenty kronor, seven dollars, five kronor"),
    # dates and times
    ("On May 17, 2024 and 17 May.", "On May seventeenth, twenty twenty-four and the seventeenth of May."),
    ("2024-05-17 or 5/17/2024", "May seventeenth, twenty twenty-four or May seventeenth, twenty twenty-four"),
    ("the 3rd of March, Dec. 5", "the third of March, December fifth"),
    ("at 5:30 p.m. Then", "at five thirty p.m. Then"),
    ("at 5:30 p.m. sharp", "at five thirty p.m sharp"),
    ("5:00, 17:00, 12:05, 8pm", "five o'clock, seventeen hundred, twelve oh five, eight p.m"),
    ("In 1984, 1,984 men", "In nineteen eighty-four, one thousand nine hundred and eighty-four men"),
    (
        "1500 sheep in 1500, 1234 cows",
        "fifteen hundred sheep in fifteen hundred, one thousand two hundred and thirty-four cows",
    ),
    ("the 1990s, the '80s", "the nineteen nineties, the eighties"),
    ("1914–1918, 1990-95", "nineteen fourteen to nineteen eighteen, nineteen ninety to ninety-five"),
    ("at 1.30 pm or 1.59 p.m.", "at one thirty p.m or one fifty-nine p.m."),
    ("10:00:00 p.m., 1:02:03 am", "ten p.m, one oh two three a.m"),
    ("Mon–Fri 9 a.m.–5 p.m.", "Monday to Friday nine a.m to five p.m."),
    ("the team – 5 of them, my team-5, 9 am – 5 pm", "the team, five of them, my team-five, nine a.m to five p.m"),
    ("Sat-Sun, Jan.–Mar. 2020. Then", "Saturday to Sunday, January to March twenty twenty. Then"),
    (
        "5h 30m, 30m 15s, 1h 1m 1s",
        "five hours and thirty minutes, thirty minutes and fifteen seconds, one hour one minute and one second",
    ),
    ("Jan-15-2020, 1960s–1970s", "January fifteenth twenty twenty, nineteen sixties to nineteen seventies"),
    # measures
    ("100Mb/s and 100 MB/s", "one hundred megabits per second and one hundred megabytes per second"),
    ('a 12" LP, 3.5" wide, 6"', "a twelve inch LP, three point five inches wide, six inches"),
    ('He said "12" and "page 5".', 'He said "twelve" and "page five".'),
    (
        "1234-123kg, 5 bn",
        "one thousand two hundred and thirty-four to one hundred and twenty-three kilograms, five billion",
    ),
    (
        "5 km, 1 kg, 60 mph, 20 °C, 5 m²",
        "five kilometers, one kilogram, sixty miles per hour, twenty degrees Celsius, five square meters",
    ),
    ("-5 % and 3.14", "minus five percent and three point one four"),
    ("10-20 and 10–20 km", "ten to twenty and ten to twenty kilometers"),
    (
        "1.5-2.5 km, 10:00–11:30, 3-2",
        "one point five to two point five kilometers, ten o'clock to eleven thirty, three two",
    ),
    ("1/2 cup, 2½ cups, 24/7", "one half cup, two and a half cups, twenty-four seven"),
    ("21st, 102nd, 1,000th", "twenty-first, one hundred and second, one thousandth"),
    ("No. 5, p. 12, #7, § 3", "number five, page twelve, number seven, section three"),
    (".5 of it", "zero point five of it"),
    ("version 1.2.3", "version one dot two dot three"),
    ("MP3 and H2O", "MP three and H two O"),
    ("call 555-1234", "call five five five, one two three four"),
    ("a 10-year-old", "a ten-year-old"),
    # parts of books
    ("Act iii, scene ix", "Act three, scene nine"),
    ("vol. ii, ch. iii, p. xii, ch. i", "volume two, chapter three, page twelve, chapter one"),
    ("Chapter 01. See No. 05 of fig. 0.5", "Chapter one. See number five of figure zero point five"),
    ("Part of it was mild.", "Part of it was mild."),
    # capitals
    ("IT WAS COLD when he came. GIVE IT TO US!", "it WAS COLD when he came. GIVE it TO us!"),
    ("The US Army and IT support: IT!", "The US Army and IT support: IT!"),
    # several units
    ("30° 31′ 39″ N", "thirty degrees thirty-one minutes thirty-nine seconds North"),
    ("at 5° N, 10°1′ W. Then", "at five degrees North, ten degrees one minute West. Then"),
    (
        "£3 10s. was paid. He had 10s. 6d. left.",
        "three pounds, ten shillings was paid. He had ten shillings, six pence left.",
    ),
    ("£1,200 5s. 1d.", "one thousand two hundred pounds, five shillings, one penny."),
    ("12 KG, 3 m2, 100 million kg", "twelve kilograms, three square meters, one hundred million kilograms"),
    ("a 4 x 6 m room, 5'10\" tall", "a four by six meters room, five feet ten inches tall"),
    ("3 m/s and 5 kg/m³", "three meters per second and five kilograms per cubic meter"),
    # years and dates
    ("In 1997 his mother was born.", "In nineteen ninety-seven his mother was born."),
    (
        "1948-1953, 1500 km, 2023/24",
        "nineteen forty-eight to nineteen fifty-three, one thousand five hundred kilometers, "
        "twenty twenty-three to twenty-four",
    ),
    ("july 9 2011, SEPT. 3, 8 jan", "July ninth twenty eleven, September third, the eighth of January"),
    ("you may 5 times march 5 km", "you may five times march five kilometers"),
    (
        "23-01-2021, 2021/1/23, 02/03/97",
        "the twenty-third of January, twenty twenty-one, January twenty-third, "
        "twenty twenty-one, February third, ninety-seven",
    ),
    ("1:02:03, 7pm-9 pm", "one hour two minutes and three seconds, seven p.m to nine p.m"),
    (
        "6-8 June, 11/2021, in 1066, '95",
        "the sixth to eighth of June, November twenty twenty-one, in ten sixty-six, ninety-five",
    ),
    (
        "2024 people, 40 hours/week, >5 %",
        "two thousand and twenty-four people, forty hours per week, greater than five percent",
    ),
    # ranges and formulas
    (
        "$30-$40, £5-10, 1960s-1970s",
        "thirty dollars to forty dollars, five to ten pounds, nineteen sixties to nineteen seventies",
    ),
    (
        "5-3=2, 2 * 3, 9 > 4, x² ≤ 10⁶",
        "five minus three equals two, two times three, nine greater than four, "
        "x squared less than or equal to ten to the power of six",
    ),
    ("17/5, 3/16, 2/3rd, 1 3/4 lb", "seventeen fifths, three sixteenths, two thirds, one and three quarters pounds"),
    ("$7/mo, $0.5/hr, $3.5", "seven dollars per month, fifty cents per hour, three dollars and fifty cents"),
    ("₩5 billion, US$3, test$", "five billion won, three US dollars, test dollar"),
    # codes
    ("ISBN 978-3-16-148410-0", "ISBN nine seven eight, three, one six, one four eight four one zero, zero"),
    ("ISBN-10: 080442957X", "ISBN zero eight zero four four two nine five seven, X"),
    ("call 911 or 212.555.0199", "call nine one one or two one two, five five five, zero one nine nine"),
    ("911", "nine one one"),
    ("911!", "nine one one!"),
    ("A 911 call, the 999 operator", "A nine one one call, the nine nine nine operator"),
    ("911 people, $911", "nine hundred and eleven people, nine hundred and eleven dollars"),
    ("IP 10.0.0.42, code 4711", "IP one zero dot zero dot zero dot four two, code four seven one one"),
    ("A320, xy8321, 12 a4", "A three twenty, xy eight three two one, twelve a four"),
    ("C# and F#", "C sharp and F sharp"),
    # addresses
    ("1600 N Oak Hwy, Salem, OR 97301", "sixteen hundred North Oak Highway, Salem, Oregon nine seven three zero one"),
    ("12 Elm St. and 5th ave.", "twelve Elm Street and fifth Avenue."),
    # abbreviations
    ("Apples, pears, etc. The end, etc.", "Apples, pears, et cetera. The end, et cetera."),
    ("E.g. this, i.e. that, vs. those", "For example this, that is that, versus those"),
    ("Baker St. and St. Paul. On Baker St. The", "Baker Street and Saint Paul. On Baker Street. The"),
    ("Mr Brown and Mrs. Brown", "Mister Brown and Missus Brown"),
    ("the U.S. Army in the U.S. He left", "the U.S Army in the U.S. He left"),
    ("J. R. R. Tolkien. It was I. He left.", "J R R Tolkien. It was I. He left."),
    ("Smith Jr. of Apple Inc. left", "Smith Junior of Apple Incorporated left"),
    ("Henry VIII, Chapter IV, World War II", "Henry the eighth, Chapter four, World War two"),
    ("NATO and the BBC", "NATO and the BBC"),
    ("CHAPTER XII, Apollo XI, Anna II, Rocky III", "CHAPTER twelve, Apollo eleven, Anna the second, Rocky three"),
    ("vol. III and Anna II's", "volume three and Anna the second's"),
    ("Francis I, king; said I. MIX, I am", "Francis the first, king; said I. MIX, I am"),
    # signs
    ("A & B + C = D", "A and B plus C equals D"),
    ("**bold** _it_ [x](y) and/or", "bold it x (y) and or"),
    ("see https://www.example.com/a?b=1.", "see example dot com slash a."),
    ("http://localhost:8080/x/y/#top, https://a.org/", "localhost slash x slash y, a dot org"),
    ("mail a.b@c.com or example.org", "mail a dot b at c dot com or example dot org"),
    ("Wait... what?! No!!! — yes", "Wait, what? No! yes"),
    ("😀", ""),
]
SWEDISH = [
    ("Dr. Svensson betalade 5,20 kr.", "Doktor Svensson betalade fem kronor och tjugo öre."),
    ("1 kr, 5:-, 3 mkr, $5", "en krona, fem kronor, tre miljoner kronor, fem dollar"),
    ("Den 17 maj 2024 kl. 17.30", "Den sjuttonde maj tjugohundratjugofyra klockan sjutton trettio"),
    ("Den 17/5 och 17/5 2024", "Den sjuttonde maj och sjuttonde maj tjugohundratjugofyra"),
    ("1990-talet", "nittonhundranittiotalet"),
    ("År 1984, 1 500 och 1.500", "År nittonhundraåttiofyra, ettusen femhundra och ettusen femhundra"),
    (
        "10–20 km, 5 %, -5 °C, 3,14",
        "tio till tjugo kilometer, fem procent, minus fem grader Celsius, tre komma fjorton",
    ),
    ("t.ex. det, bl.a. detta, osv. Han gick.", "till exempel det, bland annat detta, och så vidare. Han gick."),
    ("nr 5, s. 12, ca 10", "nummer fem, sidan tolv, cirka tio"),
    ("1:a, 2:a och 3:e", "första, andra och tredje"),
    ("Gustav II Adolf", "Gustav den andre Adolf"),
    ("2 000 000 kronor, 1 miljon", "två miljoner kronor, en miljon"),
    ("$3,5 biljoner, 21 dollar, 1 km", "tre komma fem biljoner dollar, tjugoen dollar, en kilometer"),
    ("3. jan. 2021, 04-05-2020", "tredje januari tjugohundratjugoett, fjärde maj tjugohundratjugo"),
    ("2.15 e.m., 14:30:01", "två femton eftermiddag, fjorton timmar trettio minuter och en sekund"),
    (
        "1 kr 50 öre, kl. 9.30-10.15, 24/12, 3/100",
        "en krona femtio öre, klockan nio trettio till tio femton, tjugofjärde december, tre hundradelar",
    ),
    ("2 3/5, 1400-talet", "två och tre femtedelar, fjortonhundratalet"),
    ("tfn 08 790 7559", "telefon noll åtta, sju nio noll, sju fem fem nio"),
    ("ring 08-123 45 67", "ring noll åtta, ett två tre, fyra fem, sex sju"),
    ("– Hej, sa hon ...", "Hej, sa hon."),
    ("2 md kronor, 1,5 mn, 3 mdr", "två miljarder kronor, en komma fem miljoner, tre miljarder"),
    ("$,01, USD$76,3", "en cent, sjuttiosex dollar och trettio cent"),
    ("s:t erik, S:t Erik, mån–fre", "sankt erik, Sankt Erik, måndag till fredag"),
]


@pytest.mark.parametrize(("written", "said"), ENGLISH)
def test_english_is_read_as_people_read_it(written, said):
    assert normalise(written, "en-us") == said


@pytest.mark.parametrize(("written", "said"), SWEDISH)
def test_swedish_is_read_as_people_read_it(written, said):
    assert normalise(written, "sv") == said


def test_the_british_put_the_day_first():
    assert normalise("3/4/2020", "en-gb") == "April third, twenty twenty"
    assert normalise("3/4/2020", "en-us") == "March fourth, twenty twenty"


@pytest.mark.parametrize(("language", "rows"), [("en-us", ENGLISH), ("sv", SWEDISH)])
def test_what_was_said_is_said_the_same_again(language, rows):
    for _written, said in rows:
        assert normalise(said, language) == said


#: Bits of text that rules look for, to be put together at random.
_PIECES = (Path(__file__).parents[1] / "data" / "pieces.txt").read_text(encoding="utf-8").split()
_ANY_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=3)), max_size=12).map(" ".join),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=2)), max_size=12).map("".join),
)


@settings(max_examples=examples(400))
@given(_ANY_TEXT, st.sampled_from(["en-us", "en-gb", "fr-be", "fr-ch", "pt-pt", "es-419", *WITH_TABLE]))
def test_no_digit_is_left_in_any_text(text, language):
    assert re.search(r"\d", normalise(text, language)) is None


@settings(max_examples=examples(200))
@given(_ANY_TEXT, st.sampled_from(["ru", "cs", "ar", "ja", "cmn", "nb", "", "x"]))
def test_no_text_in_any_language_is_too_much(text, language):
    normalise(text, language)


@pytest.mark.parametrize("language", ["en-us", "sv", "de", "es", "fr", "pl", "da", "uk"])
@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "1",
        " ",
        "\n",
        ".",
        "-",
        "–",
        "!",
        '"',
        "½",
        ". ",
        "1 ",
        "1,",
        "1.2",
        "1-",
        "1/",
        "$1",
        "1:1",
        "+1 ",
        "A.",
        "a@",
        "www.",
        "kl. ",
        " - ",
        "a.a",
        "1.1.1.",
        "1-1-",
        "II ",
        "12 Aa ",
        "1 1/1 ",
        "<a",
        "x^",
        "1. ",
        "1.° ",
        "1:1 ",
        "XIV. ",
        "1 000 ",
    ],
)
def test_twice_the_same_thing_over_and_over_takes_about_twice_the_time(unit, language):
    text = unit * (4_000 // len(unit))
    normalise(text[:10], language)  # compiles the patterns of the language
    once = min(_cpu_seconds(text, language) for _ in range(3))
    twice = min(_cpu_seconds(text * 2, language) for _ in range(3))
    assert twice <= 3 * once  # 2 in a linear pattern, 4 in one that looks back or ahead again and again


def _cpu_seconds(text: str, language: str) -> float:
    before = time.process_time()
    normalise(text, language)
    return time.process_time() - before


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("da", "den 3. maj kl. 17.40, 2º", "den 3. maj kl. 17.40, 2º"),
        ("ru", "1 000 000 и 12 500,5", "1000000 и 12500,5"),
        ("cs", "10\u202f000 korun", "10000 korun"),
        ("da", "Ring 030 123 45 67", "Ring 030 123 45 67"),
        ("ar", "\u0663\u0664", "34"),
        ("ja", "\uff13\uff14円", "34円"),
    ],
)
def test_other_languages_leave_numbers_to_espeak(language, written, said):
    assert normalise(written, language) == said


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("en", "10⁶ and 10⁻³ m", "ten to the power of six and ten to the power of minus three meters"),
        ("en", "s⁻²", "s to the power of minus two"),
        (
            "en",
            "1,5 kg, 2,75 %, 1,500 kg",
            "one point five kilograms, two point seven five percent, one thousand five ",
        ),
        ("sv", "1.5 kg, 1.500 kg", "ett komma fem kilo, ettusen femhundra kilo"),
        ("en", "12 lbs., I think", "twelve pounds, I think"),
        ("en", "1/4 tsp. salt, 2 1/2 lbs. of", "one quarter teaspoon salt, two and a half pounds of"),
        ("en", "1/4 tsp. Salt it", "one quarter teaspoon. Salt it"),
        ("en", "(5 lbs.) of", "(five pounds) of"),
        ("en", "Some, e.g. Paris", "Some, for example Paris"),
        (
            "sv",
            "Gustav III:s tid, Karl I:s, Katarina II",
            "Gustav den tredjes tid, Karl den förstes, Katarina den andra",
        ),
        ("sv", "9 kap. 3 § och § 4", "nio kapitel paragraf tre och paragraf fyra"),
        ("sv", "3–1 till AIK, 3–5 dagar", "tre ett till AIK, tre till fem dagar"),
        ("en", "The screen is 16:9, a 3:1 ratio", "The screen is sixteen to nine, a three to one ratio"),
        ("en", "Gen. 1:1-3, Ex. 20:13, Gen. Smith", "Genesis one one to three, Exodus twenty thirteen, General Smith"),
        ("en", "She got an A- or a B+", "She got an A minus or a B plus"),
        ("en", "Python 3.12 beats 3.9", "Python three dot twelve beats three point nine"),
        ("en", "John 3:1 at 3:15", "John three one at three fifteen"),
        ("sv", "tel.: 114 14", "telefon: etthundrafjorton fjorton"),
        ("sv", "kungar, t.ex. Oscar II, dvs. Bo", "kungar, till exempel Oscar den andre, det vill säga Bo"),
        ("en", "2 tsp salt and 1 tbsp", "two teaspoons salt and one tablespoon"),
        ("en", "100k users, a 4k video", "one hundred thousand users, a four k video"),
        ("en", "2³⁄₄ and ²/₃", "two and three quarters and two thirds"),
        ("sv", "10⁻³", "tio upphöjt till minus tre"),
        (
            "da",
            "10⁶, x², 5 km² og 10^-3",
            "10 opløftet i 6, x opløftet i 2, 5 km opløftet i 2 og 10 opløftet i minus 3",
        ),
        ("da", "2³⁄₄", "2 3/4"),
        ("de", "10⁶, x² und 10^-3", "zehn hoch sechs, x Quadrat und zehn hoch minus drei"),
        ("fr", "10⁶ et x²", "dix puissance six et x au carré"),
        ("ja", "10⁻⁶", "10 のマイナス 6乗"),
        ("hu", "10⁶, 10⁻³", "10⁶, 10 -3"),
        ("de", "das Haus¹ und (alles)¹", "das Haus und (alles)¹"),
    ],
)
def test_digits_set_high_and_foreign_decimals_are_read_as_what_they_are(language, written, said):
    assert normalise(written, language).startswith(said)


@pytest.mark.espeak
@pytest.mark.parametrize(
    "language", ["cs", "da", "de", "es", "fi", "fr-fr", "it", "nl", "pl", "pt-br", "ru", "tr", "uk"]
)
def test_no_power_is_read_like_its_digits_alone(language):
    with EspeakPhonemizer(language) as espeak:
        for power, digits in (("10⁶", "10 6"), ("10⁻³", "10"), ("10^6", "10 6"), ("x⁵", "x 5")):
            said, flat = espeak.phonemes([normalise(power, language), digits])
            assert len(said) > len(flat) + 2, power
