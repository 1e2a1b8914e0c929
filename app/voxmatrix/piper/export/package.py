"""A folder with a voice for another program: the files that it reads, a MODEL_CARD, and how it is installed."""

import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from voxmatrix.errors import BadInputError, DamagedFileError, MissingProgramError, UsageError
from voxmatrix.files import read_errors, storage_errors, write_text
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.export import Speech, check_noise, export_voice, write_voice
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.piper.export.model_card import Origin, model_card
from voxmatrix.piper.files import config_path, is_exported
from voxmatrix.text.phonemes.espeak import DATA, data_folder

TOKENS, MODEL_CARD = "tokens.txt", "MODEL_CARD"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program that speaks Piper's voices. `install`: one line, of a name, a config, and the name of the folder."""

    title: str
    install: Callable[[str, VoiceConfig, str], str]
    reads_tokens: bool = False  # as sherpa-onnx does, which makes phonemes with espeak-ng's data


def _piper(name: str, config: VoiceConfig, folder: str) -> str:
    return f'in the folder {folder}: piper -m {shlex.quote(name)}.onnx -f hello.wav "Hello"'


def _home_assistant(name: str, config: VoiceConfig, folder: str) -> str:
    return (
        f"copy {name}.onnx and {name}.onnx.json to the folder share/piper of Home Assistant (of wyoming-piper: its "
        "--data-dir), restart Piper, and reload the integration Wyoming Protocol"
    )


def _sherpa(name: str, config: VoiceConfig, folder: str) -> str:
    options = {
        "model": f"{name}.onnx",
        "tokens": TOKENS,
        "data-dir": DATA,
        "noise-scale": f"{config.noise_scale:g}",
        "noise-scale-w": f"{config.noise_w:g}",
        "length-scale": f"{config.length_scale:g}",
    }
    words = " ".join(shlex.quote(f"--vits-{option}={value}") for option, value in options.items())
    command = f'sherpa-onnx-offline-tts {words} --output-filename=hello.wav "Hello"'
    return f"pip install sherpa-onnx-bin==1.13.8; in the folder {folder}: {command}"


def _android(name: str, config: VoiceConfig, folder: str) -> str:
    return (
        f"copy the folder {folder} to app/src/main/assets of sherpa-onnx's android/SherpaOnnxTtsEngine, and set in "
        f'TtsEngine.kt: modelDir = "{folder}", modelName = "{name}.onnx", dataDir = "{folder}/{DATA}", and lang'
    )


PROGRAMS: Mapping[str, Program] = {
    "piper": Program(title="Piper", install=_piper),
    "homeassistant": Program(title="Home Assistant", install=_home_assistant),
    "sherpa": Program(title="sherpa-onnx", install=_sherpa, reads_tokens=True),
    "android": Program(title="sherpa-onnx on Android", install=_android, reads_tokens=True),
}


@dataclass(frozen=True, kw_only=True)
class Package:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]  # and folders, in `folder`
    install: str


def write_package(
    voice: Path,
    program: str,
    folder: Path,
    *,
    noise: float | None = None,
    noise_w: float | None = None,
    origin: Origin | None = None,
    force: bool = False,
    speech: Speech = "unchecked",
) -> Package:
    """Write the files of a voice, exported or a checkpoint, for one of `PROGRAMS` into a folder.

    An exported voice keeps its name; that of a training is called as the folder.

    Raises:
        UsageError: there is no such program, the folder has files and `force` is not set, or a noise is out of range.
        BadInputError: there is no such voice, `speech` is required and it has not learned to speak, or the program
            cannot say what the voice has learned.
        DamagedFileError: the voice is corrupt; MissingProgramError: espeak-ng's data is not here.
        UnreachableError: the folder cannot be written.
    """
    if program not in PROGRAMS:
        raise UsageError(f"`for` is {program!r}", f"choose one of: {', '.join(PROGRAMS)}")
    check_noise(noise, noise_w)
    _check_free(folder, force=force)
    if is_exported(voice):
        config = VoiceConfig.read(config_path(voice)).published(voice.stem)
        return _write(voice, _varying(config, noise, noise_w), program, folder, origin)
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as place:
        name = folder.absolute().name
        made = export_voice(voice, Path(place) / f"{name}.onnx", noise=noise, noise_w=noise_w, speech=speech)
        return _write(made.onnx, VoiceConfig.read(made.config), program, folder, origin)


def with_metadata(onnx: Path, config: VoiceConfig) -> bytes:
    """The content of an ONNX file with what other programs read in it. Its graph and weights stay as they are.

    Raises:
        BadInputError: its weights are in another file; DamagedFileError: it is truncated or no ONNX file.
    """
    import onnx as onnx_package
    from google.protobuf.message import DecodeError

    with read_errors(onnx):
        content = onnx.read_bytes()
    try:
        model = onnx_package.ModelProto.FromString(content)
    except DecodeError as error:
        problem = f"{onnx} ({len(content):,} bytes) is truncated or not an ONNX file"
        raise DamagedFileError(problem, "download or export the voice again") from error
    if any(one.data_location == onnx_package.TensorProto.EXTERNAL for one in model.graph.initializer):
        raise BadInputError(
            f"{onnx} has its weights in another file", "put them into it: onnx.save(onnx.load(FILE), FILE)"
        )
    known = {one.key: one.value for one in model.metadata_props}
    onnx_package.helper.set_model_props(model, known | metadata(config))
    return bytes(model.SerializeToString())


def tokens(config: VoiceConfig) -> str:
    """The lines of tokens.txt: each symbol and its id, as sherpa-onnx reads them.

    Raises:
        BadInputError: sherpa-onnx cannot say what the voice has learned; the message says why.
    """
    remedy = "choose `for=piper` or `for=homeassistant`: those programs know them"
    if config.phoneme_type != "espeak":
        problem = (
            f"the voice has phonemes of type {config.phoneme_type!r}, and sherpa-onnx only makes those of espeak-ng"
        )
        raise BadInputError(problem, remedy)
    lines = []
    for symbol, ids in config.id_map.items():
        if len(symbol) > 1 or len(ids) > 1:
            kind = "several letters" if len(symbol) > 1 else "several ids"
            problem = f"the voice has learned symbols of {kind} ({symbol!r}), which sherpa-onnx cannot read"
            raise BadInputError(problem, remedy)
        if symbol != "\n":
            lines.append(f"{symbol} {ids[0]}\n")
    return "".join(lines)


def _varying(config: VoiceConfig, noise: float | None, noise_w: float | None) -> VoiceConfig:
    return replace(
        config,
        noise_scale=config.noise_scale if noise is None else noise,
        noise_w=config.noise_w if noise_w is None else noise_w,
    )


def _write(onnx: Path, config: VoiceConfig, program: str, folder: Path, origin: Origin | None) -> Package:
    """Write the files of a voice that is called as its config says."""
    target, name = PROGRAMS[program], config.dataset
    content, install = with_metadata(onnx, config), target.install(name, config, folder.absolute().name)
    texts = {MODEL_CARD: model_card(name, config, f"For {target.title}: {install}", origin)}
    if target.reads_tokens:
        texts[TOKENS] = tokens(config)
        _copy_data(folder / DATA)
    for file, text in texts.items():
        write_text(folder / file, text)
    out = folder / f"{name}.onnx"
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as place:
        made = Path(place) / out.name
        made.write_bytes(content)
        write_voice(made, config, out)
    data = (folder / DATA,) if target.reads_tokens else ()
    files = out, config_path(out), *(folder / file for file in texts), *data
    return Package(folder=folder, files=files, install=install)


def _copy_data(folder: Path) -> None:
    data = data_folder()
    if data is None:
        problem = f"{DATA}, the data of espeak-ng, is not here, and sherpa-onnx makes phonemes with it"
        raise MissingProgramError(problem, "pip install espeakng-loader")
    with storage_errors(folder):
        shutil.copytree(data, folder, dirs_exist_ok=True)


def _check_free(folder: Path, *, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"`out` is {folder}, a file", "choose a folder for the files of the voice")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"the folder {folder} has files already", "add `force` to write among them, or choose another")
