"""Numbers of every language with a table."""

from pathlib import Path

import pytest

from voxmatrix.text.normalisation import language, numbers
from voxmatrix.text.normalisation.language import rows_of
from voxmatrix.text.normalisation.spellout import Spellout, read_spellout, spell

TABLES = sorted(path.stem for path in Path(language.__file__).parent.glob("*.toml"))

GERMAN = [
    ("cardinal", 1, "eins"),
    ("cardinal", 16, "sechzehn"),
    ("cardinal", 17, "siebzehn"),
    ("cardinal", 21, "einundzwanzig"),
    ("cardinal", 30, "dreißig"),
    ("cardinal", 77, "siebenundsiebzig"),
    ("cardinal", 101, "einhundert eins"),
    ("cardinal", 1234, "eintausend zweihundert vierunddreißig"),
    ("cardinal", 21000, "einundzwanzigtausend"),
    ("cardinal", 101000, "einhundert eintausend"),
    ("cardinal", 1000001, "eine Million eins"),
    ("cardinal", 2000000, "zwei Millionen"),
    ("masculine", 1, "ein"),
    ("masculine", 21, "einundzwanzig"),
    ("feminine", 1, "eine"),
    ("cardinal_n", 1, "einen"),
    ("ordinal", 1, "erste"),
    ("ordinal", 3, "dritte"),
    ("ordinal", 7, "siebte"),
    ("ordinal", 8, "achte"),
    ("ordinal", 12, "zwölfte"),
    ("ordinal", 21, "einundzwanzigste"),
    ("ordinal", 30, "dreißigste"),
    ("ordinal", 101, "einhunderterste"),
    ("ordinal", 100, "einhundertste"),
    ("ordinal", 1000000, "einmillionste"),
    ("ordinal_n", 3, "dritten"),
    ("ordinal_r", 14, "vierzehnter"),
    ("year", 1998, "neunzehnhundert achtundneunzig"),
    ("year", 1100, "elfhundert"),
    ("year", 1066, "eintausend sechsundsechzig"),
    ("year", 2024, "zweitausend vierundzwanzig"),
]
FRENCH = [
    ("cardinal", 21, "vingt et un"),
    ("cardinal", 22, "vingt-deux"),
    ("cardinal", 60, "soixante"),
    ("cardinal", 61, "soixante et un"),
    ("cardinal", 70, "soixante-dix"),
    ("cardinal", 71, "soixante et onze"),
    ("cardinal", 79, "soixante-dix-neuf"),
    ("cardinal", 80, "quatre-vingts"),
    ("cardinal", 81, "quatre-vingt-un"),
    ("cardinal", 90, "quatre-vingt-dix"),
    ("cardinal", 91, "quatre-vingt-onze"),
    ("cardinal", 100, "cent"),
    ("cardinal", 101, "cent un"),
    ("cardinal", 200, "deux cents"),
    ("cardinal", 201, "deux cent un"),
    ("cardinal", 1000, "mille"),
    ("cardinal", 1989, "mille neuf cent quatre-vingt-neuf"),
    ("cardinal", 80000, "quatre-vingt mille"),
    ("cardinal", 200000, "deux cent mille"),
    ("cardinal", 200000000, "deux cents millions"),
    ("cardinal", 1000000, "un million"),
    ("feminine", 1, "une"),
    ("feminine", 21, "vingt et une"),
    ("feminine", 81, "quatre-vingt-une"),
    ("ordinal", 1, "premier"),
    ("ordinal_feminine", 1, "première"),
    ("ordinal", 2, "deuxième"),
    ("ordinal", 3, "troisième"),
    ("ordinal", 4, "quatrième"),
    ("ordinal", 5, "cinquième"),
    ("ordinal", 9, "neuvième"),
    ("ordinal", 21, "vingt et unième"),
    ("ordinal", 71, "soixante et onzième"),
    ("ordinal", 80, "quatre-vingtième"),
    ("ordinal", 81, "quatre-vingt-unième"),
    ("ordinal", 200, "deux centième"),
]
SPANISH = [
    ("cardinal", 16, "dieciséis"),
    ("cardinal", 21, "veintiuno"),
    ("cardinal", 22, "veintidós"),
    ("cardinal", 31, "treinta y uno"),
    ("cardinal", 100, "cien"),
    ("cardinal", 101, "ciento uno"),
    ("cardinal", 500, "quinientos"),
    ("cardinal", 700, "setecientos"),
    ("cardinal", 900, "novecientos"),
    ("cardinal", 1000, "mil"),
    ("cardinal", 2024, "dos mil veinticuatro"),
    ("cardinal", 21000, "veintiún mil"),
    ("cardinal", 1000000, "un millón"),
    ("cardinal", 21000000, "veintiún millones"),
    ("cardinal", 1000000000, "mil millones"),
    ("masculine", 1, "un"),
    ("masculine", 21, "veintiún"),
    ("masculine", 31, "treinta y un"),
    ("feminine", 21, "veintiuna"),
    ("feminine", 500, "quinientas"),
    ("feminine", 200000, "doscientas mil"),
    ("feminine", 1501, "mil quinientas una"),
    ("ordinal", 1, "primero"),
    ("ordinal", 11, "undécimo"),
    ("ordinal", 21, "vigésimo primero"),
    ("ordinal", 800, "octingentésimo"),
    ("ordinal", 2000, "dosmilésimo"),
    ("ordinal_feminine", 22, "vigésima segunda"),
    ("ordinal_before_noun", 1, "primer"),
    ("ordinal_before_noun", 23, "vigésimo tercer"),
]
PORTUGUESE = [
    ("cardinal", 16, "dezesseis"),
    ("cardinal", 21, "vinte e um"),
    ("cardinal", 100, "cem"),
    ("cardinal", 101, "cento e um"),
    ("cardinal", 200, "duzentos"),
    ("cardinal", 500, "quinhentos"),
    ("cardinal", 1005, "mil e cinco"),
    ("cardinal", 1200, "mil e duzentos"),
    ("cardinal", 1998, "mil novecentos e noventa e oito"),
    ("cardinal", 2024, "dois mil e vinte e quatro"),
    ("cardinal", 1000000, "um milhão"),
    ("cardinal", 1200345, "um milhão duzentos mil trezentos e quarenta e cinco"),
    ("cardinal", 1001000, "um milhão e mil"),
    ("cardinal", 1030000, "um milhão e trinta mil"),
    ("cardinal", 1200000, "um milhão e duzentos mil"),
    ("cardinal", 2000000, "dois milhões"),
    ("cardinal", 1000000000, "um bilhão"),
    ("feminine", 1, "uma"),
    ("feminine", 21, "vinte e uma"),
    ("feminine", 202, "duzentas e duas"),
    ("feminine", 2200, "duas mil e duzentas"),
    ("ordinal", 2, "segundo"),
    ("ordinal", 13, "décimo terceiro"),
    ("ordinal_feminine", 21, "vigésima primeira"),
]
ITALIAN = [
    ("cardinal", 17, "diciassette"),
    ("cardinal", 21, "ventuno"),
    ("cardinal", 23, "ventitré"),
    ("cardinal", 28, "ventotto"),
    ("cardinal", 100, "cento"),
    ("cardinal", 101, "cento uno"),
    ("cardinal", 118, "cento diciotto"),
    ("cardinal", 180, "centottanta"),
    ("cardinal", 203, "duecento tré"),
    ("cardinal", 1000, "mille"),
    ("cardinal", 2000, "duemila"),
    ("cardinal", 23000, "ventitremila"),
    ("cardinal", 1984, "mille novecentottantaquattro"),
    ("cardinal", 1000000, "un milione"),
    ("cardinal", 2000001, "due milioni uno"),
    ("masculine", 1, "un"),
    ("feminine", 1, "una"),
    ("ordinal", 4, "quarto"),
    ("ordinal", 11, "undicesimo"),
    ("ordinal", 21, "ventunesimo"),
    ("ordinal", 23, "ventitreesimo"),
    ("ordinal", 26, "ventiseiesimo"),
    ("ordinal", 100, "centesimo"),
    ("ordinal", 1000, "millesimo"),
    ("ordinal", 2000, "duemillesimo"),
    ("ordinal", 1000000, "milionesimo"),
    ("ordinal_feminine", 2, "seconda"),
    ("ordinal_feminine", 30, "trentesima"),
]
POLISH = [
    ("cardinal", 22, "dwadzieścia dwa"),
    ("cardinal", 1000, "tysiąc"),
    ("cardinal", 2024, "dwa tysiące dwadzieścia cztery"),
    ("cardinal", 5000, "pięć tysięcy"),
    ("cardinal", 12000, "dwanaście tysięcy"),
    ("cardinal", 21000, "dwadzieścia jeden tysięcy"),
    ("cardinal", 122000, "sto dwadzieścia dwa tysiące"),
    ("cardinal", 1000000, "milion"),
    ("cardinal", 3500000, "trzy miliony pięćset tysięcy"),
    ("cardinal", 25000000, "dwadzieścia pięć milionów"),
    ("feminine", 2, "dwie"),
    ("feminine", 21, "dwadzieścia jeden"),
    ("feminine", 32, "trzydzieści dwie"),
    ("neuter", 1, "jedno"),
    ("ordinal", 3, "trzeci"),
    ("ordinal", 14, "czternasty"),
    ("ordinal", 2024, "dwa tysiące dwudziesty czwarty"),
    ("ordinal_genitive", 1998, "tysiąc dziewięćset dziewięćdziesiątego ósmego"),
    ("ordinal_genitive", 2, "drugiego"),
    ("ordinal_genitive", 3, "trzeciego"),
    ("ordinal_locative", 19, "dziewiętnastym"),
    ("ordinal_feminine", 2, "druga"),
    ("ordinal_feminine", 3, "trzecia"),
    ("ordinal_feminine_locative", 3, "trzeciej"),
    ("ordinal_feminine_locative", 2, "drugiej"),
    ("ordinal", 2000, "dwutysięczny"),
    ("ordinal", 100, "setny"),
    ("ordinal", 105, "sto piąty"),
]
DUTCH = [
    ("cardinal", 1, "één"),
    ("cardinal", 14, "veertien"),
    ("cardinal", 21, "eenentwintig"),
    ("cardinal", 22, "tweeëntwintig"),
    ("cardinal", 33, "drieëndertig"),
    ("cardinal", 44, "vierenveertig"),
    ("cardinal", 80, "tachtig"),
    ("cardinal", 100, "honderd"),
    ("cardinal", 222, "tweehonderd tweeëntwintig"),
    ("cardinal", 2000, "tweeduizend"),
    ("cardinal", 2024, "tweeduizend vierentwintig"),
    ("cardinal", 1001, "duizend één"),
    ("cardinal", 1000000, "één miljoen"),
    ("ordinal", 1, "eerste"),
    ("ordinal", 2, "tweede"),
    ("ordinal", 3, "derde"),
    ("ordinal", 8, "achtste"),
    ("ordinal", 12, "twaalfde"),
    ("ordinal", 20, "twintigste"),
    ("ordinal", 101, "honderdeerste"),
    ("year", 1998, "negentienhonderd achtennegentig"),
    ("year", 1900, "negentienhonderd"),
]
REGIONS = [
    ("fr-be", "cardinal", 71, "septante et un"),
    ("fr-be", "cardinal", 80, "quatre-vingts"),
    ("fr-be", "cardinal", 99, "nonante-neuf"),
    ("fr-be", "feminine", 91, "nonante et une"),
    ("fr-ch", "cardinal", 88, "huitante-huit"),
    ("fr-ch", "ordinal", 80, "huitantième"),
    ("fr-ch", "cardinal", 80000, "huitante mille"),
    ("fr-ch", "cardinal", 84000, "huitante-quatre mille"),
    ("pt-pt", "cardinal", 16, "dezasseis"),
    ("pt-pt", "cardinal", 1000000000, "mil milhões"),
    ("pt-pt", "cardinal", 2500000000, "dois mil e quinhentos milhões"),
]
CASES = [
    (tag, *case)
    for tag, cases in [
        ("de", GERMAN),
        ("es", SPANISH),
        ("fr", FRENCH),
        ("it", ITALIAN),
        ("nl", DUTCH),
        ("pl", POLISH),
        ("pt", PORTUGUESE),
    ]
    for case in cases
]


def numbers_of(tag: str) -> Spellout:
    rows = rows_of(*tag.split("-"))
    return read_spellout(rows["spellout"], rows.get("joins", {}))


@pytest.mark.parametrize(("tag", "rule_set", "value", "said"), [*CASES, *REGIONS])
def test_numbers_are_said_as_people_say_them(tag, rule_set, value, said):
    assert spell(numbers_of(tag), rule_set, value) == said


@pytest.mark.parametrize("tag", TABLES)
def test_every_number_has_words_of_its_own(tag):
    spellout = numbers_of(tag)
    values = {*range(1_300), *(scale + value for scale in (10**4, 10**6, 10**9, 10**12) for value in range(130))}
    assert len({spell(spellout, "cardinal", value) for value in values}) == len(values)


@pytest.mark.parametrize("tag", TABLES)
def test_every_rule_set_says_every_number_with_letters_alone(tag):
    spellout = numbers_of(tag)
    for rule_set in spellout.rule_sets:
        for value in (*range(130), *(10**power + 1 for power in range(2, numbers.MAX_DIGITS))):
            words = spell(spellout, rule_set, value)
            assert words.replace(" ", "").replace("-", "").isalpha() and "  " not in words
