#!/bin/bash
# num2words 0.5.14 (the latest of 2026) writes numbers in words, and is what many text front ends of speech models use.
# One would expect that 21,000 has in Spanish the word that a Spaniard says: "veintiún mil", since "uno" loses its
# last letter before a noun and before "mil" (RAE, Diccionario panhispánico de dudas, "uno"). It writes "veintiuno mil",
# and so wherever the thousands or millions end in 1, but in 11 and in 1 alone. In Swedish, where three
# equal consonants become two (Svenska skrivregler), it writes "femtioetttusen" for 51,000. The rules of CLDR
# (here unicode-rbnf 2.4.1) have both right. A reader of such words says what nobody says, and no error is seen.
# Seen in November 2026 with Python 3.11.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check num2words==0.5.14 unicode-rbnf==2.4.1

seen=$("$folder/env/bin/python" - <<'PYTHON'
from num2words import num2words
from unicode_rbnf import RbnfEngine

for language, numbers in {"es": (1_000, 21_000, 101_000, 31_000_000), "sv": (21_000, 51_000)}.items():
    rules = RbnfEngine.for_language(language)
    for number in numbers:
        print(f"{language} {number}: {num2words(number, lang=language)} | {rules.format_number(number).text}")
PYTHON
)
expected='es 1000: mil | mil
es 21000: veintiuno mil | veintiún mil
es 101000: ciento uno mil | ciento un mil
es 31000000: treinta y uno millones | treinta y un millones
sv 21000: tjugoetttusen | tjugoettusen
sv 51000: femtioetttusen | femtioettusen'

printf 'num2words 0.5.14 | unicode-rbnf 2.4.1 (CLDR)\n%s\n' "$seen"
[[ $seen == "$expected" ]] || { printf 'this has changed; expected:\n%s\n' "$expected"; exit 1; }
