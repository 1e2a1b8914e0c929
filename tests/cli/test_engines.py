"""Engines are listed, installed, checked and removed; what cannot be is said before anything is fetched."""

import json
from pathlib import Path

import pytest

from tests.external.hub import LARGE, hub, pack
from tests.loopback import FileServer
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.external.installed import weights_folder, weights_records

__all__ = ["hub", "pack"]  # fixtures


def run(*words: str) -> int:
    return main.run(["engines", *words])


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    return capsys


def listed(said: pytest.CaptureFixture[str]) -> dict[str, object]:
    said.readouterr()
    assert run("list", "--json") == 0
    (row,) = json.loads(said.readouterr().out)["engines"]
    return dict(row)


def test_an_engine_is_installed_speaks_with_weights_of_the_hub_is_checked_and_removed(
    pack: Path, hub: FileServer, said: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert listed(said)["installed"] is False
    assert run("install", "toy", "--weights", "free", "--json") == 0
    result = json.loads(said.readouterr().out.splitlines()[-1])
    assert result["voice"] == "toy/free"
    assert not list((home() / "engines").glob(".new-*"))
    assert (home() / "engines" / "toy" / "env").is_dir()
    assert list((home() / "engines" / "toy").glob("env/lib/*/site-packages/tones.py"))
    assert main.run(["speak", "--voice", "toy/free", "--text", "Hello there.", "--out", str(tmp_path / "a.wav")]) == 0
    assert (tmp_path / "a.wav").stat().st_size > 5_000
    row = listed(said)
    assert row["installed"] is True
    assert isinstance(row["bytes"], int) and row["bytes"] > 1000
    assert [weights["installed"] for weights in row["weights"]] == [True, False, False]  # type: ignore[attr-defined]

    assert run("check") == 0
    assert "they speak: toy" in said.readouterr().out
    (digest,) = weights_records()
    file = weights_folder(digest) / "model.safetensors"
    file.chmod(0o644)
    file.write_bytes(b"W" + LARGE[1:])
    assert run("check", "toy", "--json") == 9
    answer = said.readouterr()
    assert "not what was installed" in json.loads(answer.out.splitlines()[0])["engines"][0]["weights"][0]["problem"]
    assert main.run(["speak", "--voice", "toy/free", "--text", "Hi.", "--out", str(tmp_path / "b.wav")]) == 9

    assert run("remove", "toy", "--weights") == 0
    assert not weights_records() and not weights_folder(digest).exists()
    assert listed(said)["installed"] is False
    assert run("remove", "toy") == 3


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("nothing",), 3, "no engine 'nothing'"),
        (("toy", "--weights", "unknown"), 3, "choose a folder, or one of: free, strict, huge"),
        (("toy", "--weights", "strict"), 2, "no commercial use, also of what is spoken"),
        (("toy", "--weights", "huge"), 4, "it takes 1,000,000,000 MiB of memory"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_fetched(
    words: tuple[str, ...], code: int, message: str, pack: Path, hub: FileServer, said: pytest.CaptureFixture[str]
) -> None:
    assert run("install", *words) == code
    assert message in said.readouterr().err
    assert not hub.asked
    assert not (home() / "engines").exists() or not list((home() / "engines").glob("toy"))


def test_without_a_network_for_its_weights_no_packages_are_installed(
    pack: Path, hub: FileServer, monkeypatch: pytest.MonkeyPatch, said: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert run("install", "toy", "--weights", "free") == 8
    assert "without a network: give --weights a folder with the files" in said.readouterr().err
    assert not (home() / "engines").exists()


def test_packages_that_are_not_those_of_the_lock_are_refused_and_leave_nothing(
    pack: Path, said: pytest.CaptureFixture[str]
) -> None:
    (pack / "lock.txt").write_text(f"tones==1.0 --hash=sha256:{'0' * 64}\n")
    assert run("install", "toy") == 1
    assert "DO NOT MATCH THE HASHES" in said.readouterr().err
    assert not (home() / "engines").exists()


def test_an_engine_that_does_not_speak_is_not_installed(pack: Path, said: pytest.CaptureFixture[str]) -> None:
    (pack / "fixture.py").write_text("raise SystemExit('there is no such model')")
    assert run("install", "toy") == 1
    assert "there is no such model" in said.readouterr().err
    assert not (home() / "engines" / "toy").exists()


def test_an_older_engine_stays_when_the_new_one_fails(pack: Path, said: pytest.CaptureFixture[str]) -> None:
    assert run("install", "toy") == 0
    (pack / "lock.txt").write_text(f"tones==2.0 --hash=sha256:{'0' * 64}\n")
    assert run("install", "toy") == 1
    assert run("check", "toy") == 0


def test_a_trial_leaves_weights_that_are_like_its_own_and_a_broken_manifest_hides_no_other_engine(
    pack: Path, said: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "weights").write_bytes(b"small")  # what the fixture writes
    assert run("install", "toy", "--weights", str(tmp_path / "mine"), "--accept-licence") == 0
    (digest,) = weights_records()
    assert run("check") == 0
    assert (weights_folder(digest) / "weights").read_bytes() == b"small"
    other = home() / "engines" / "other"
    other.mkdir()
    (other / "engine.toml").write_text("[engine]")
    said.readouterr()
    assert run("list") == 0
    answer = said.readouterr().out
    assert "toy  installed, 0 MB; on cpu" in answer
    assert "Field required" in answer


def test_an_image_names_the_image_that_has_the_engine(
    pack: Path, said: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOXMATRIX_IMAGE", "cpu")
    assert run("install", "toy") == 2
    assert "cpu-toy" in said.readouterr().err
