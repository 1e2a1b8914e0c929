"""How much two pieces of speech sound like one speaker, by the network of resemblyzer (GE2E, arXiv 1710.10467)."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import MissingProgramError

_RATE_HZ = 16_000
_FFT, _HOP, _MELS, _SIZE, _LAYERS = 400, 160, 40, 256, 3
#: Frames that the network hears at once, 1.6 s, and how far apart they begin.
_FRAMES, _STEP = 160, 80
_LEVEL_DBFS = -30.0


class SpeakerEncoder:
    """The network, of which the package brings the weights. The package itself is not imported: it needs a compiler."""

    def __init__(self, threads: int = 0) -> None:
        """Load the weights. `threads` is 0 for all CPUs.

        Raises:
            MissingProgramError: resemblyzer is not installed.
        """
        import torch
        from torchaudio.functional import melscale_fbanks

        found = find_spec("resemblyzer")
        if found is None or found.origin is None:
            raise MissingProgramError(
                "resemblyzer, which tells speakers apart, is not installed", "pip install --no-deps resemblyzer"
            )
        if threads:
            torch.set_num_threads(threads)
        weights = torch.load(Path(found.origin).with_name("pretrained.pt"), map_location="cpu", weights_only=True)
        state = weights["model_state"]
        self._lstm = torch.nn.LSTM(_MELS, _SIZE, _LAYERS, batch_first=True)
        self._linear = torch.nn.Linear(_SIZE, _SIZE)
        for name, module in (("lstm", self._lstm), ("linear", self._linear)):
            module.load_state_dict(
                {key.partition(".")[2]: value for key, value in state.items() if key.startswith(f"{name}.")}
            )
        self._filters = melscale_fbanks(
            _FFT // 2 + 1, 0.0, _RATE_HZ / 2, _MELS, _RATE_HZ, norm="slaney", mel_scale="slaney"
        )

    def embedding(self, samples: Samples, rate_hz: int) -> NDArray[np.float32]:
        """The voice as a vector of length 1, (256,): the product of two is their likeness, 0 to 1."""
        import soxr
        import torch

        wave = soxr.resample(samples, rate_hz, _RATE_HZ)
        level = 10 * np.log10(max(float(np.mean(wave**2)), 1e-12))
        wave = wave * np.float32(10 ** (max(0.0, _LEVEL_DBFS - level) / 20))
        wave = np.pad(wave, (0, max(0, _FRAMES * _HOP - len(wave))))
        with torch.inference_mode():
            spectrum = torch.stft(
                torch.from_numpy(wave),
                _FFT,
                _HOP,
                window=torch.hann_window(_FFT),
                pad_mode="constant",
                return_complex=True,
            )
            mels = spectrum.abs().square().T @ self._filters
            _, (hidden, _) = self._lstm(mels.unfold(0, _FRAMES, _STEP).transpose(1, 2))
            parts = torch.relu(self._linear(hidden[-1]))
            mean = (parts / parts.norm(dim=1, keepdim=True)).mean(0)
            vector: NDArray[np.float32] = (mean / mean.norm()).numpy()
        return vector
