"""What the shell completes: commands, options and the names of voices."""

import shutil
from pathlib import Path

import pytest

from tests.bundled import BUNDLED, DEFAULT
from voxmatrix.cli import main
from voxmatrix.cli.parameters.completion import voice_names
from voxmatrix.config import home
from voxmatrix.voices.resolve import installed


def completed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What bash offers for the last word of a line."""
    monkeypatch.setenv("_VOXMATRIX_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        main.run([])
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("voxmatrix sp", ["speak"]),
        ("voxmatrix voices de", ["default"]),
        ("voxmatrix speak --pl", ["--play"]),
        ("voxmatrix speak --voice en_", [DEFAULT]),
        ("voxmatrix speak --text Hello --voice ", sorted(BUNDLED)),
        ("voxmatrix voices remove es", ["es_ES-dora-student"]),
        ("voxmatrix book make book.epub --dialogue-voice fr", ["fr_FR-siwis-student"]),
        ("voxmatrix speak --voice ./", []),  # a file, which the shell completes itself
        ("voxmatrix speak --file ", []),
        ("voxmatrix book in", ["inspect"]),
        ("voxmatrix book nov", []),
        ("voxmatrix book inspct --li", []),
        ("voxmatrix book novel.epub --vol", ["--volume"]),
        ("voxmatrix speak --file '' --captions '' --pl", ["--play"]),
    ],
)
def test_commands_options_and_voices_are_completed(
    line: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(line, monkeypatch, capsys) == offered


def test_the_names_are_those_of_the_list_for_every_family() -> None:
    folder = home() / "voices"
    for name in (
        "mine.onnx",
        "kokoro/kokoro-v1.0.onnx",
        "kokoro/voices/af_heart.bin",
        "remote/kitchen/my%20voice.toml",
        "hf/me.voice",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    assert voice_names("") == sorted(installed())
    assert voice_names("remote:") == ["remote:kitchen/my voice"]
    shutil.rmtree(folder)
    assert voice_names("") == sorted(installed()) == sorted(BUNDLED)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "pwsh"])
def test_the_script_of_a_shell_is_shown_and_makes_no_folder(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    with pytest.raises(SystemExit) as ended:
        main.run(["--show-completion"])
    assert ended.value.code == 0
    assert "_VOXMATRIX_COMPLETE" in capsys.readouterr().out
    assert not (tmp_path / "home").exists()


def test_it_is_installed_where_bash_reads_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'\n")
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    with pytest.raises(SystemExit) as ended:
        main.run(["--install-completion"])
    assert ended.value.code == 0
    script = tmp_path / ".bash_completions" / "voxmatrix.sh"
    assert "complete -o default -F _voxmatrix_completion voxmatrix" in script.read_text()
    kept, *added = (tmp_path / ".bashrc").read_text().split("\n", 1)
    assert kept == "alias ll='ls -l'" and f"source '{script}'" in added[0]


@pytest.mark.parametrize("flag", ["--show-completion", "--install-completion"])
def test_another_shell_is_refused_with_those_that_are_known(
    flag: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("dash", "/bin/dash"))
    assert main.run([flag]) == 2
    assert "run it in bash, zsh, fish or PowerShell" in capsys.readouterr().err
