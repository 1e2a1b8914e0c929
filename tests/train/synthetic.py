"""A voice small enough for tests, and recordings for it: sums of tones, one tone a symbol."""

from pathlib import Path

import numpy as np

from voxmatrix.dataset.prepared import Clip, PreparedSet
from voxmatrix.tables.quality import Quality, qualities
from voxmatrix.tables.training import memory_table
from voxmatrix.text.symbols import default_map

RATE_HZ = 16000
MINI = Quality(
    name="mini",
    rate_hz=RATE_HZ,
    inter_channels=8,
    hidden_channels=8,
    filter_channels=16,
    n_heads=2,
    n_layers=1,
    posterior_layers=1,
    resblock="2",
    resblock_kernels=(3,),
    resblock_dilations=((1, 2),),
    upsample_rates=(16, 16),
    upsample_kernels=(32, 32),
    upsample_channels=16,
    discriminator_divisor=16,
    learning_rate=2e-4,
)


def know_mini() -> None:
    """Add the small quality to the table of this process."""
    memory_table().qualities[MINI.name] = memory_table().qualities["tiny"]
    qualities()[MINI.name] = MINI


def prepared_set(folder: Path, count: int = 12, speakers: tuple[str, ...] = (), quality: str = "mini") -> PreparedSet:
    """`count` clips of 0.6 to 1.4 seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    id_map = default_map("text")
    letters = [symbol for symbol in id_map if len(symbol) == 1 and symbol.isalpha()]
    random = np.random.default_rng(7)
    clips = []
    for number in range(count):
        text = "".join(random.choice(letters, size=6 + number % 5))
        samples = (9600 + 1024 * (number % 13)) // len(text) * len(text)
        tones = [_tone(id_map[letter][0], samples // len(text)) for letter in text]
        path = folder / f"{number:03}.npy"
        np.save(path, (np.concatenate(tones) * 20000).astype(np.int16))
        ids = [1, 0]
        for letter in text:
            ids += [id_map[letter][0], 0]
        speaker = speakers[number % len(speakers)] if speakers else None
        clips.append(Clip(id=f"c{number:03}", speaker=speaker, text=text, ids=(*ids, 2), samples=samples, path=path))
    return PreparedSet(
        clips=tuple(clips),
        problems=(),
        measured=(),
        speakers=speakers,
        quality=quality,
        rate_hz=RATE_HZ,
        language="en-us",
        phoneme_type="text",
        id_map=id_map,
        digest=f"synthetic-{count}-{len(speakers)}",
    )


def _tone(symbol: int, samples: int) -> np.ndarray:
    seconds = np.arange(samples) / RATE_HZ
    return np.sin(2 * np.pi * (120 + 17 * symbol) * seconds) * np.hanning(samples)
