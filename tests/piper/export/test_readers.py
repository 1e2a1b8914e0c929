"""Other programs speak with every voice that is written here, say the same phonemes, and show its name."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.bundled import BUNDLED
from tests.distil.decoder.test_replace import spoken_by, student_of
from tests.distil.student.teaching import quiet, settings_of
from tests.piper.conftest import MakeCheckpoint
from tests.piper.export.parrot import distance, write_parrot
from tests.shared import once
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.distil.decoder.replace import replace_decoder
from voxmatrix.distil.student.run import teach
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.export import write_voice
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.piper.export.package import TOKENS, write_package
from voxmatrix.piper.files import config_path
from voxmatrix.text.front import front_end
from voxmatrix.text.prompts import sentence_list
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.symbols import to_ids

pytestmark = [
    pytest.mark.readers,
    pytest.mark.espeak,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:'audioop' is deprecated:DeprecationWarning"),  # in wyoming
]
SAMPLES = Path(__file__).parents[3] / "samples" / "voices"
#: The folder of the second sherpa-onnx: one environment cannot have two.
SECOND = Path(sys.prefix) / "sherpa2"
TRAINED, DISTILLED = ("anna", "anna-and-bo"), ("taught", "faster", "faster-two")
VOICES = (*BUNDLED, *TRAINED, *DISTILLED)
SEVERAL = ("anna-and-bo", "faster-two")
TEXTS = {
    "en-us": (
        "The birch canoe slid on the smooth planks.",
        "Glue the sheet to the dark blue background!",
        "Is it far?",
    ),
    "es": ("La casa de mi abuela está junto al río.", "¿Dónde vive tu hermano mayor?", "Llueve mucho, y hace frío."),
    "fr": ("La maison de ma grand-mère est au bord de l'eau.", "Où habite ton frère ?", "Il pleut, et il fait froid."),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, make_onnx: MakeCheckpoint) -> Mapping[str, Path]:
    """Each voice as it is written for sherpa-onnx, whose files are those of Piper, too."""

    def make(folder: Path) -> None:
        for name, path in _written(folder / "voices", make_onnx):
            write_package(path, "sherpa", folder / name)

    folder = once(tmp_path_factory, "readers", make)
    return {name: folder / name for name in VOICES}


def _written(folder: Path, make_onnx: MakeCheckpoint) -> Iterator[tuple[str, Path]]:
    folder.mkdir()
    yield from ((name, SAMPLES / f"{name}.onnx") for name in BUNDLED)
    for name, speakers, fast in zip(TRAINED, (1, 2), DISTILLED[1:], strict=True):
        original = make_onnx("tiny", speakers, "espeak")
        config, graph = VoiceConfig.read(config_path(original)), read_graph(original)
        write_voice(original, config, folder / f"{name}.onnx")
        made = folder / "made"
        made.write_bytes(
            replace_decoder(graph, student_of(graph), spoken_by(original, graph, speakers), metadata(config))
        )
        write_voice(made, config, folder / f"{fast}.onnx")
        yield from ((one, folder / f"{one}.onnx") for one in (name, fast))
    text = folder / "text.txt"
    text.write_text("\n\n".join(sentence_list("harvard")[:30]), encoding="utf-8")
    teach(settings_of(text, folder / "taught.onnx"), quiet)
    yield "taught", folder / "taught.onnx"


def heard(requests: Sequence[Mapping[str, Any]], first: Path | None = None) -> list[dict[str, Any]]:
    """What sherpa-onnx says, that of the environment or of the folder `first`."""
    program = Path(__file__).with_name("sherpa_program.py")
    environment = os.environ | ({"PYTHONPATH": str(first)} if first else {})
    command = [sys.executable, str(program)]
    given = json.dumps(requests)
    done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def ids_of(config: VoiceConfig, text: str) -> list[int]:
    with front_end(config.espeak_voice, "espeak", config.id_map) as front:
        (sentence,) = front.sentences([SpokenText(text, text)])
    return sentence.ids


@pytest.fixture(scope="module")
def parrots(folders: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[tuple[VoiceConfig, Path]]:
    """A parrot for each language, with the tokens and the data of its voice."""
    found = []
    for name in BUNDLED:
        config, folder = VoiceConfig.read(folders[name] / f"{name}.onnx.json"), tmp_path_factory.mktemp(name)
        write_parrot(config, folder / "parrot.onnx")
        for file in (TOKENS, "espeak-ng-data"):
            (folder / file).symlink_to(folders[name] / file)
        found.append((config, folder))
    return found


def request_of(folder: Path, name: str, text: str, speaker: int = 0) -> dict[str, Any]:
    return {"folder": str(folder), "name": name, "text": text, "speaker": speaker}


def pipers_phonemes(config: VoiceConfig, text: str) -> list[list[str]]:
    from piper.phonemize_espeak import EspeakPhonemizer

    spoken: list[list[str]] = EspeakPhonemizer().phonemize(config.to_json()["espeak"]["voice"], text)
    return spoken


def check_sound(answer: Mapping[str, Any], folder: Path, name: str) -> None:
    config = VoiceConfig.read(folder / f"{name}.onnx.json")
    samples = np.array(answer["samples"])
    assert (answer["rate_hz"], answer["speakers"]) == (config.rate_hz, config.num_speakers)
    shortest = 0.1 if name == "taught" else 0.2  # `taught` has hardly learned anything: a frame each phoneme
    assert shortest < len(samples) / config.rate_hz < 20
    assert 1e-4 < float(np.sqrt(np.mean(samples**2))) < 1


def last_speaker(name: str) -> int:
    return int(name in SEVERAL)


def text_for(folder: Path, name: str) -> str:
    return TEXTS[VoiceConfig.read(folder / f"{name}.onnx.json").espeak_voice][0]


def test_sherpa_onnx_speaks_all_of_them(folders: Mapping[str, Path]) -> None:
    asked = [request_of(folder, name, text_for(folder, name), last_speaker(name)) for name, folder in folders.items()]

    for answer, (name, folder) in zip(heard(asked), folders.items(), strict=True):
        check_sound(answer, folder, name)


def test_sherpa_onnx_2_speaks_all_of_them(folders: Mapping[str, Path]) -> None:
    asked = []
    for name, folder in folders.items():
        config, text = VoiceConfig.read(folder / f"{name}.onnx.json"), text_for(folder, name)
        phonemes = pipers_phonemes(config, text)
        asked.append({**request_of(folder, name, text, last_speaker(name)), "phonemes": phonemes})

    for answer, (name, folder) in zip(heard(asked, SECOND), folders.items(), strict=True):
        check_sound(answer, folder, name)


def test_sherpa_onnx_says_the_same_phonemes(parrots: list[tuple[VoiceConfig, Path]]) -> None:
    """It makes them itself, with the data that is written beside the voice."""
    told = [(config, folder, text) for config, folder in parrots for text in TEXTS[config.espeak_voice]]

    answers = heard([request_of(folder, "parrot", text) for _, folder, text in told])

    for answer, (config, _, text) in zip(answers, told, strict=True):
        theirs = [round(256 * one) for one in answer["samples"]]
        ours = ids_of(config, text)
        assert distance([*filter(None, theirs)], [*filter(None, ours)]) <= 1, (text, ours, theirs)
        assert theirs[:2] == ours[:2] == [1, 0] and theirs[-1] == 2


def test_sherpa_onnx_2_says_the_phonemes_that_it_is_given(parrots: list[tuple[VoiceConfig, Path]]) -> None:
    told = [(config, folder, text) for config, folder in parrots for text in TEXTS[config.espeak_voice]]
    asked = []
    for config, folder, text in told:
        symbols = {ids[0]: symbol for symbol, ids in config.id_map.items()}
        phonemes = "".join(symbols[one] for one in ids_of(config, text) if one > 2)
        asked.append({**request_of(folder, "parrot", text), "phonemes": [phonemes]})

    for answer, (config, _, text) in zip(heard(asked, SECOND), told, strict=True):
        assert [round(256 * one) for one in answer["samples"]] == ids_of(config, text)


def test_piper_makes_nearly_the_same_phonemes(folders: Mapping[str, Path]) -> None:
    """Its espeak-ng is its own, and has a glide in the Spanish `mi abuela` and `río`."""
    for name in BUNDLED:
        config = VoiceConfig.read(folders[name] / f"{name}.onnx.json")
        for text in TEXTS[config.espeak_voice]:
            (phonemes,) = pipers_phonemes(config, text)
            theirs, missing = to_ids(phonemes, config.id_map)
            assert distance(theirs[::2], ids_of(config, text)[::2]) <= (2 if name.startswith("es") else 1), text
            assert not missing


def test_a_voice_without_the_properties_or_with_long_symbols_is_refused(
    parrots: list[tuple[VoiceConfig, Path]], tmp_path: Path
) -> None:
    """What these tests would see if a voice were written as before."""
    _, folder = parrots[0]
    model = onnx.load(str(folder / "parrot.onnx"))
    (tmp_path / TOKENS).write_text((folder / TOKENS).read_text(encoding="utf-8") + "aɪ 161\n", encoding="utf-8")
    (tmp_path / "espeak-ng-data").symlink_to(folder / "espeak-ng-data")
    onnx.save(model, str(tmp_path / "long.onnx"))
    del model.metadata_props[:]
    onnx.save(model, str(folder / "bare.onnx"))

    with pytest.raises(AssertionError, match="Error when reading tokens"):
        heard([request_of(tmp_path, "long", "Hello.")])
    with pytest.raises(AssertionError, match="does not exist in the metadata"):
        heard([request_of(folder, "bare", "Hello.")])


def test_piper_speaks_all_of_them(folders: Mapping[str, Path]) -> None:
    from piper import PiperVoice, SynthesisConfig

    for name, folder in folders.items():
        voice = PiperVoice.load(folder / f"{name}.onnx")
        (chunk,) = voice.synthesize(text_for(folder, name), SynthesisConfig(speaker_id=last_speaker(name)))
        samples = [*map(float, chunk.audio_float_array)]
        speakers = VoiceConfig.read(folder / f"{name}.onnx.json").num_speakers
        check_sound({"rate_hz": chunk.sample_rate, "speakers": speakers, "samples": samples}, folder, name)


@pytest.fixture(scope="module")
def wyoming_piper(folders: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a wyoming-piper with all voices."""
    data = tmp_path_factory.mktemp("share")
    for name, folder in folders.items():
        for suffix in (".onnx", ".onnx.json"):
            (data / f"{name}{suffix}").symlink_to(folder / f"{name}{suffix}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [f"--uri=tcp://127.0.0.1:{port}", f"--data-dir={data}", f"--download-dir={data}", f"--voice={VOICES[0]}"]
    server = subprocess.Popen([sys.executable, "-m", "wyoming_piper", *words])
    try:
        yield port
    finally:
        server.terminate()
        server.wait()


async def _answers(port: int) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Names and descriptions, and the rate and bytes of what each voice says."""
    from wyoming.audio import AudioChunk, AudioStop
    from wyoming.client import AsyncTcpClient
    from wyoming.info import Describe, Info
    from wyoming.tts import Synthesize, SynthesizeVoice

    client = AsyncTcpClient("127.0.0.1", port)
    while True:
        try:
            await client.connect()
            break
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    await client.write_event(Describe().event())
    info = await client.read_event()
    assert info is not None
    shown = {one.name: one.description or "" for one in Info.from_event(info).tts[0].voices if one.name in VOICES}
    said = {}
    for name in shown:
        await client.write_event(Synthesize(TEXTS["en-us"][0], voice=SynthesizeVoice(name=name)).event())
        rate, size = 0, 0
        while (event := await client.read_event()) is not None and not AudioStop.is_type(event.type):
            if AudioChunk.is_type(event.type):
                chunk = AudioChunk.from_event(event)
                rate, size = chunk.rate, size + len(chunk.audio)
        said[name] = rate, size
    await client.disconnect()
    return shown, said


def test_wyoming_piper_shows_their_names_and_speaks_them(wyoming_piper: int, folders: Mapping[str, Path]) -> None:
    shown, said = asyncio.run(asyncio.wait_for(_answers(wyoming_piper), 120))

    configs = {name: VoiceConfig.read(folder / f"{name}.onnx.json") for name, folder in folders.items()}
    assert shown == {name: f"{name} ({config.quality})" for name, config in configs.items()}
    for name, (rate, size) in said.items():
        assert rate == configs[name].rate_hz and 0.2 < size / 2 / rate < 20
