import os
import pathlib
import pickle
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.tables.quality import qualities, quality
from voxmatrix.vits.checkpoint.checkpoint import piper_hyper_parameters, piper_state, read_checkpoint
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.synthesizer import Synthesizer


def write(path: Path, voice: Synthesizer, name: str = "tiny", speakers: int = 1, **more: Any) -> Path:
    hyper_parameters = piper_hyper_parameters(quality(name), 40, speakers, batch_size=4)
    content = {
        "state_dict": piper_state(
            voice, MultiPeriodDiscriminator(quality("tiny").discriminator_divisor)
        ),  # small: nothing here reads its sizes
        "hyper_parameters": hyper_parameters,
        "epoch": 3,
        "global_step": 120,
        "pytorch-lightning_version": "2.6.6",
        "voxmatrix": {"version": 1},
    }
    torch.save(content | more, path)
    return path


@pytest.fixture
def voice_file(tmp_path: Path, make_voice: Callable[..., Synthesizer]) -> Path:
    return write(tmp_path / "last.ckpt", make_voice())


def test_what_was_written_is_read(tmp_path: Path, make_voice: Callable[..., Synthesizer]) -> None:
    voice = make_voice(speakers=3)
    read = read_checkpoint(write(tmp_path / "a.ckpt", voice, speakers=3))
    assert (read.quality, read.num_symbols, read.num_speakers, read.rate_hz) == ("tiny", 40, 3, 16000)
    assert read.extra == {"version": 1}
    assert read.generator.keys() == voice.state_dict().keys()
    assert all(torch.equal(read.generator[key], weight) for key, weight in voice.state_dict().items())
    Synthesizer(quality("tiny"), 40, 3).load_state_dict(read.generator)
    assert read.discriminator is not None
    MultiPeriodDiscriminator(quality("tiny").discriminator_divisor).load_state_dict(read.discriminator)


@pytest.mark.parametrize("name", list(qualities()))
@pytest.mark.parametrize("speakers", [1, 5])
def test_the_quality_is_told_by_the_shapes(tmp_path: Path, name: str, speakers: int) -> None:
    voice = Synthesizer(quality(name), 40, speakers)
    read = read_checkpoint(write(tmp_path / "a.ckpt", voice, name, speakers))
    assert (read.quality, read.num_speakers) == (name, speakers)


def test_a_rate_that_no_quality_has_is_kept(tmp_path: Path) -> None:
    rate = {"hyper_parameters": {"sample_rate": 44100}}
    read = read_checkpoint(write(tmp_path / "a.ckpt", Synthesizer(quality("low"), 40), "low", **rate))
    assert (read.quality, read.rate_hz) == ("medium", 44100), "low and medium differ in their rate only"
    silent = read_checkpoint(write(tmp_path / "b.ckpt", Synthesizer(quality("low"), 40), "low", hyper_parameters={}))
    assert (silent.quality, silent.rate_hz) == ("medium", 22050)


def legacy(voice: Synthesizer) -> dict[str, Any]:
    """What PyTorch Lightning 1.7 wrote for the original Piper: paths, stale keys, callbacks, loops."""
    return {
        "epoch": 2164,
        "global_step": 1355540,
        "pytorch-lightning_version": "1.7.7",
        "state_dict": OrderedDict(piper_state(voice, MultiPeriodDiscriminator(quality("tiny").discriminator_divisor))),
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"current": {"completed": 2165}}}},
        "callbacks": {
            "ModelCheckpoint{'monitor': None}": {"best_model_path": "x.ckpt", "current_score": torch.tensor(1.0)}
        },
        "optimizer_states": [{"state": {}, "param_groups": [{"lr": 2e-4, "betas": (0.8, 0.99)}]}],
        "lr_schedulers": [{"gamma": 0.999875, "last_epoch": 2164}],
        "hparams_name": "kwargs",
        "hyper_parameters": {
            "num_symbols": 40,
            "num_speakers": 1,
            "dataset": [pathlib.PosixPath("/home/somebody/train/dataset.jsonl")],
            "dataset_dir": pathlib.PurePosixPath("train"),
            "default_root_dir": pathlib.PosixPath("/home/somebody"),
            "sample_rate": 22050,
            "sample_bytes": 2,
            "channels": 1,
            "quality": "medium",
            "resblock_kernel_sizes": (3, 5, 7),
        },
    }


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.skipif(sys.platform == "win32", reason="PosixPath cannot be made there; reading it is what this tests")
def test_a_legacy_checkpoint_imports(tmp_path: Path, zipped: bool) -> None:
    voice = Synthesizer(quality("medium"), 40)
    path = tmp_path / "epoch=2164-step=1355540.ckpt"
    torch.save(legacy(voice), path, _use_new_zipfile_serialization=zipped)
    read = read_checkpoint(path)
    assert (read.quality, read.rate_hz, read.num_symbols, read.num_speakers) == ("medium", 22050, 40, 1)
    assert read.extra == {}
    assert all(torch.equal(read.generator[key], weight) for key, weight in voice.state_dict().items())


@pytest.mark.parametrize("module", ["pathlib", "pathlib._local"])
@pytest.mark.parametrize("name", ["PosixPath", "WindowsPath"])
def test_paths_of_every_system_and_python_are_read(
    tmp_path: Path, make_voice: Callable[..., Synthesizer], module: str, name: str
) -> None:
    path = write(tmp_path / "a.ckpt", make_voice(), hyper_parameters={"dataset": _Marker()})
    there, here = b"ctests.vits.marker\nMarker\n", f"c{module}\n{name}\n".encode()
    _replace_pickle(path, lambda pickled: pickled.replace(there, here))
    assert read_checkpoint(path).quality == "tiny"


class _Marker:
    """Pickles as a call of a class that is then renamed in the file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _marker_class, ("data.jsonl",)


def _marker_class(*parts: str) -> None: ...


_marker_class.__module__, _marker_class.__qualname__, _marker_class.__name__ = "tests.vits.marker", "Marker", "Marker"


@pytest.fixture(autouse=True)
def _marker_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tests.vits.marker", SimpleNamespace(Marker=_marker_class))  # type: ignore[arg-type]


def _replace_pickle(path: Path, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, change(content) if name.endswith("data.pkl") else content)


class _Attack:
    """Would leave a file behind when unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.arguments


@pytest.mark.parametrize("where", ["hyper_parameters", "state_dict", "voxmatrix", "whole"])
@pytest.mark.parametrize("zipped", [True, False])
def test_a_malicious_checkpoint_is_refused_before_anything_runs(
    tmp_path: Path, make_voice: Callable[..., Synthesizer], where: str, zipped: bool
) -> None:
    trace = tmp_path / "ran"
    for attack in (
        _Attack(os.mkdir, str(trace)),
        _Attack(eval, f"open({str(trace)!r}, 'w')"),
        _Attack(pathlib.Path.touch, trace),
    ):
        path = tmp_path / "evil.ckpt"
        content = {"state_dict": piper_state(make_voice()), "hyper_parameters": {}}
        torch.save(
            attack if where == "whole" else content | {where: attack}, path, _use_new_zipfile_serialization=zipped
        )
        with pytest.raises(DamagedFileError) as caught:
            read_checkpoint(path)
        assert "not loaded" in caught.value.problem
        assert caught.value.exit_code == 9
        assert not trace.exists()


def test_a_bare_pickle_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    path = tmp_path / "evil.ckpt"
    path.write_bytes(pickle.dumps(_Attack(os.mkdir, str(trace))))
    with pytest.raises(DamagedFileError):
        read_checkpoint(path)
    assert not trace.exists()


@pytest.mark.parametrize("kept", [0, 1, 100, 0.3, 0.9, -1])
def test_a_file_cut_short_is_called_damaged(voice_file: Path, kept: float) -> None:
    content = voice_file.read_bytes()
    size = int(len(content) * kept) if isinstance(kept, float) else kept
    voice_file.write_bytes(content[:size])
    with pytest.raises(DamagedFileError) as caught:
        read_checkpoint(voice_file)
    assert str(voice_file) in caught.value.problem
    assert caught.value.remedy


def test_changed_weights_are_noticed(voice_file: Path) -> None:
    content = bytearray(voice_file.read_bytes())
    for place in (len(content) // 2, len(content) // 3, 200):
        changed = content.copy()
        changed[place] ^= 0xFF
        voice_file.write_bytes(changed)
        with pytest.raises(DamagedFileError):
            read_checkpoint(voice_file)


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04", b"\x80\x02}q\x00.", b"\x00" * 4096, b"RIFF....WAVEfmt "])
def test_what_is_no_checkpoint_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.ckpt"
    path.write_bytes(content)
    with pytest.raises((DamagedFileError, BadInputError)):
        read_checkpoint(path)


@pytest.mark.parametrize("content", [b"RIFF....WAVEfmt ", b"fLaC....", b"ID3.....", b"\0\0\0\x20ftypM4A ", b'{"a": 1}'])
def test_a_sound_or_a_voice_config_is_not_called_a_damaged_checkpoint(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(BadInputError, match="is not a torch file"):
        read_checkpoint(tmp_path / "a.wav")


@pytest.mark.parametrize(
    "content", [{}, [], {"state_dict": {}}, {"state_dict": None}, {"state_dict": {1: 2}}, torch.zeros(3)]
)
def test_a_torch_file_without_a_voice_is_bad_input(tmp_path: Path, content: object) -> None:
    path = tmp_path / "a.ckpt"
    torch.save(content, path)
    with pytest.raises(BadInputError):
        read_checkpoint(path)


def test_a_voice_of_unknown_sizes_is_bad_input(tmp_path: Path, make_voice: Callable[..., Synthesizer]) -> None:
    state = piper_state(make_voice())
    for change in (
        {"model_g.dec.conv_pre.weight": torch.zeros(100, 64, 7)},
        {"model_g.dec.conv_pre.weight": torch.zeros(1)},
    ):
        path = write(tmp_path / "a.ckpt", make_voice(), state_dict=state | change)
        with pytest.raises(BadInputError, match="unknown quality"):
            read_checkpoint(path)
    state = {key: weight for key, weight in state.items() if ".enc_q." not in key}
    with pytest.raises(BadInputError, match=r"unknown quality.*enc_q"):
        read_checkpoint(write(tmp_path / "b.ckpt", make_voice(), state_dict=state))


def test_missing_files_and_folders_are_bad_input(tmp_path: Path) -> None:
    for path in (tmp_path / "none.ckpt", tmp_path):
        with pytest.raises(BadInputError):
            read_checkpoint(path)


def test_reading_leaves_the_list_of_allowed_names_as_it_was(voice_file: Path) -> None:
    before = set(torch.serialization.get_safe_globals())
    read_checkpoint(voice_file)
    assert set(torch.serialization.get_safe_globals()) == before


@pytest.mark.peers
@pytest.mark.parametrize(("name", "speakers"), [("x_low", 1), ("medium", 1), ("medium", 3), ("high", 1)])
def test_pipers_trainer_loads_our_checkpoint(
    tmp_path: Path, piper_train: SimpleNamespace, name: str, speakers: int
) -> None:
    voice = Synthesizer(quality(name), 40, speakers)
    path = tmp_path / "a.ckpt"
    write(
        path,
        voice,
        name,
        speakers,
        state_dict=piper_state(voice, MultiPeriodDiscriminator(quality(name).discriminator_divisor)),
    )
    model = piper_train.lightning.VitsModel.load_from_checkpoint(path, map_location="cpu", mos_metric=None)
    theirs = model.state_dict()
    ours = piper_state(voice)
    assert all(torch.equal(theirs[key], weight) for key, weight in ours.items())
    assert model.hparams.sample_rate == quality(name).rate_hz
