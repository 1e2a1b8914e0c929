"""16-bit samples: heard by any reader, never wrapped around."""

import io
import struct
import wave

import numpy as np

from voxmatrix.speak.wav import UNKNOWN, WaveFile, header, pcm


def test_a_file_that_is_finished_is_a_wav_of_the_right_length() -> None:
    out = io.BytesIO()
    file = WaveFile(out, 16000)
    file.write(np.linspace(-1, 1, 1001, dtype=np.float32))
    file.pause(0.1)
    file.finish()
    out.seek(0)

    with wave.open(out) as read:
        assert read.getparams()[:4] == (1, 2, 16000, 1001 + 1600)
        samples = np.frombuffer(read.readframes(9999), "<i2")
    assert samples[0] == -32767 and samples[1000] == 32767 and not samples[1001:].any()


def test_a_stream_says_that_its_length_is_unknown_and_is_flushed() -> None:
    class Stream(io.BytesIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

    out = Stream()
    file = WaveFile(out, 22050, streamed=True)
    file.write(np.zeros(10, np.float32))
    file.finish()

    riff, data = struct.unpack_from("<I", out.getvalue(), 4)[0], struct.unpack_from("<I", out.getvalue(), 40)[0]
    assert (riff, data) == (UNKNOWN, UNKNOWN) and out.flushed == 1 and len(out.getvalue()) == 44 + 20


def test_raw_samples_have_no_header() -> None:
    out = io.BytesIO()
    file = WaveFile(out, 22050, raw=True)
    file.write(np.array([0.5, -0.5], np.float32))
    file.finish()

    assert np.frombuffer(out.getvalue(), "<i2").tolist() == [16384, -16384]


def test_loud_samples_are_cut_off_and_never_wrapped_around() -> None:
    assert np.frombuffer(pcm(np.array([5.0, -5.0, 1.0, -1.0], np.float32)), "<i2").tolist() == [32767, -32767] * 2


def test_a_day_of_speech_is_longer_than_a_header_can_say() -> None:
    assert header(22050, 2**32) == header(22050)
    assert struct.unpack_from("<I", header(22050, 2**31), 40)[0] == 2**31
