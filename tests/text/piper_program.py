"""Stands in for the program espeak-ng in tests, with the espeak-ng that piper-tts carries: same questions and answers.

With it our way to phonemes and Piper's run on one version of espeak-ng, so whatever then differs is ours.
"""

import sys

from piper import espeakbridge
from piper.phonemize_espeak import ESPEAK_DATA_DIR

espeakbridge.initialize(str(ESPEAK_DATA_DIR))
espeakbridge.set_voice(sys.argv[sys.argv.index("-v") + 1])
for line in sys.stdin:
    for phonemes, _mark, _ends_sentence in espeakbridge.get_phonemes(line):
        print(phonemes, flush=True)
