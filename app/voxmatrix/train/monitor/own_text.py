"""The text that samples say, if somebody wants another one than that of a recording."""

from voxmatrix.errors import UsageError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.text.front import front_end
from voxmatrix.text.spoken import spoken_sentences


def sentences_of(text: str, config: VoiceConfig) -> list[list[int]]:
    """The ids of each sentence of a text, as the voice reads them.

    Raises:
        UsageError: the voice can say nothing of it.
    """
    by_espeak = config.phoneme_type == "espeak"
    with front_end(
        config.espeak_voice, config.phoneme_type, config.id_map, config.vowel_clusters, learned=config.espeak_version
    ) as front:
        texts = spoken_sentences(text, config.espeak_voice, by_espeak=by_espeak)
        found = [list(sentence.ids) for sentence in front.sentences(texts)]
    if not found:
        raise UsageError(
            f"`sample_text` is {text!r}, of which nothing can be spoken", "set `sample_text` to a sentence with words"
        )
    return found
