"""A checkpoint through torch: a voice that is still being trained can be heard."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from app.speak.engine import Manner, Part, Samples
from app.tables.quality import quality
from app.voice.build import build_generator
from app.voice.checkpoint import Checkpoint
from app.voice.norm import remove_weight_norm
from app.voice.synthesizer import Synthesizer


class TorchEngine:
    """A generator in torch. One sentence at a time: torch spreads it over the threads by itself."""

    def __init__(self, checkpoint: Checkpoint, threads: int, seed: int | None = None) -> None:
        torch.set_num_threads(threads)
        self._generator = speaking_generator(checkpoint)
        self._seed = seed

    def begin(self, ids: Sequence[int], manner: Manner) -> list[Part]:
        """The whole sentence as one part, which takes all threads in any case."""
        seed = self._seed
        if self._seed is not None:
            self._seed += 1
        return [lambda: self._speak(ids, manner, seed)]

    def reseed(self, seed: int) -> None:
        """Go on as if opened with this seed."""
        self._seed = seed

    def _speak(self, ids: Sequence[int], manner: Manner, seed: int | None) -> Samples:
        speaker = torch.tensor([manner.speaker]) if hasattr(self._generator, "emb_g") else None
        with torch.inference_mode(), _seeded(seed):
            wave = self._generator.infer(
                torch.tensor([list(ids)]),
                torch.tensor([len(ids)]),
                manner.noise,
                manner.length,
                manner.noise_w,
                speaker,
            )
        samples: Samples = wave.reshape(-1).numpy()
        return samples


def speaking_generator(checkpoint: Checkpoint) -> Synthesizer:
    """The generator of a checkpoint, ready to speak: weights plain, training's parts at rest."""
    with torch.device("meta"):  # no time, memory or randomness is spent on weights that are replaced at once
        generator = build_generator(quality(checkpoint.quality), checkpoint.num_symbols, checkpoint.num_speakers)
    generator.load_state_dict(checkpoint.generator, assign=True)
    remove_weight_norm(generator)
    return generator.eval()


@contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    """Randomness that starts at `seed` and leaves that of the process as it was."""
    with torch.random.fork_rng(devices=[], enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        yield
