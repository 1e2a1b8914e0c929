"""Speech is heard by a program of the computer; here by scripts that keep what they would play."""

import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio.player import find_player
from voxmatrix.errors import MissingProgramError, UnreachableError
from voxmatrix.speak.wav import WaveFile

RATE_HZ = 16_000
#: Keeps its arguments and either its input or the file that they end with.
KEEPS = """#!/bin/sh
printf '%s\\n' "$@" > "{folder}/arguments"
for last in "$@"; do :; done
if [ "$last" = - ]; then exec cat > "{folder}/heard.wav"; fi
exec cat "$last" > "{folder}/heard.wav"
"""


@pytest.fixture(autouse=True)
def _only_these_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def install(tmp_path: Path, name: str, script: str = KEEPS) -> None:
    path = tmp_path / "bin" / name
    first, rest = script.format(folder=tmp_path).split("\n", 1)
    path.write_text(f"{first}\nPATH=/usr/bin:/bin\n{rest}", encoding="utf-8")
    path.chmod(0o755)


def write(path: Path, seconds: float = 0.1) -> Path:
    soundfile.write(path, np.full(round(RATE_HZ * seconds), 0.25, np.float32), RATE_HZ)
    return path


def frames(path: Path) -> int:
    return len(soundfile.read(path)[0])


@pytest.mark.parametrize("name", ["ffplay", "pw-play", "paplay", "aplay"])
def test_a_file_is_heard_by_the_program_that_is_there(name: str, tmp_path: Path) -> None:
    install(tmp_path, name)
    player = find_player()
    assert player.program == name
    file = write(tmp_path / "-speech.wav")
    player.play(file)
    assert (tmp_path / "heard.wav").read_bytes() == file.read_bytes()


def test_a_stream_is_heard_as_it_comes(tmp_path: Path) -> None:
    for name in ("aplay", "ffplay"):
        install(tmp_path, name)
    player = find_player()
    assert player.program == "ffplay"
    with player.playing() as pipe:
        wav = WaveFile(pipe, RATE_HZ, streamed=True)
        wav.write(np.zeros(800, np.float32))
        wav.write(np.zeros(800, np.float32))
    heard = (tmp_path / "heard.wav").read_bytes()
    assert heard[:4] == b"RIFF" and len(heard) == 44 + 2 * 1600
    assert (tmp_path / "arguments").read_text().split()[-2:] == ["-i", "-"]


def test_other_formats_are_decoded_for_a_player_of_wav(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "aplay")
    player, file = find_player(), write(tmp_path / "speech.flac")
    monkeypatch.undo()  # ffmpeg decodes it
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    player.play(file)
    assert frames(tmp_path / "heard.wav") == frames(file)


def test_without_a_player_it_is_said_what_to_install() -> None:
    with pytest.raises(MissingProgramError, match="none of ffplay, pw-play, paplay, aplay") as raised:
        find_player()
    assert "apt install ffmpeg" in raised.value.remedy and "`out=speech.wav`" in raised.value.remedy


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("#!/bin/sh\necho first >&2\necho no sound card >&2\nexit 1\n", "no sound card"),
        ("#!/bin/sh\nexit 3\n", "exited with code 3"),
        ("#!/bin/sh\necho 'No more combinations to try, audio open failed' >&2\n", "audio open failed"),
    ],
    ids=["says why", "says nothing", "exits with 0"],
)
def test_a_player_that_plays_nothing_is_an_error(script: str, reason: str, tmp_path: Path) -> None:
    install(tmp_path, "ffplay", script)
    with pytest.raises(UnreachableError, match=f"ffplay cannot play the speech: {reason}"):
        find_player().play(write(tmp_path / "speech.wav"))
    with pytest.raises(UnreachableError, match=f"ffplay cannot play the speech: {reason}"), find_player().playing():
        pass


def test_a_player_that_leaves_early_is_an_error_of_the_player(tmp_path: Path) -> None:
    install(tmp_path, "ffplay", "#!/bin/sh\nexit 4\n")
    with (
        pytest.raises(UnreachableError, match="exited with code 4"),
        find_player().playing() as pipe,
        pytest.raises(BrokenPipeError),
    ):
        while True:
            pipe.write(bytes(100_000))


def test_an_interruption_ends_the_player(tmp_path: Path) -> None:
    install(tmp_path, "ffplay", '#!/bin/sh\necho $$ > "{folder}/pid"\nexec sleep 600\n')
    with pytest.raises(KeyboardInterrupt), find_player().playing() as pipe:
        pipe.write(bytes(100))
        raise KeyboardInterrupt
    noted = tmp_path / "pid"
    if noted.exists() and (pid := noted.read_text()):  # it may have been killed before it wrote it
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_the_player_reaches_the_sound_server_and_gets_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/run/pulse")
    monkeypatch.setenv("HF_TOKEN", "secret")
    install(tmp_path, "ffplay", '#!/bin/sh\nenv > "{folder}/environment"\n')
    find_player().play(write(tmp_path / "speech.wav"))
    environment = (tmp_path / "environment").read_text()
    assert "PULSE_SERVER=unix:/run/pulse\n" in environment and "secret" not in environment


def test_on_windows_python_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[str | None, int]] = []
    slept: list[float] = []
    fake = types.SimpleNamespace(
        SND_FILENAME=1, SND_ASYNC=2, SND_NODEFAULT=4, PlaySound=lambda sound, flags: played.append((sound, flags))
    )
    file = write(tmp_path / "speech.wav", 0.5)
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setitem(sys.modules, "winsound", fake)  # type: ignore[arg-type]
    monkeypatch.setattr("time.sleep", slept.append)
    find_player().play(file)
    assert played == [(str(file), 7), (None, 0)] and slept == [0.5]

    def fails(sound: str | None, flags: int) -> None:
        if sound:
            raise RuntimeError("Failed to play sound")

    fake.PlaySound = fails
    with pytest.raises(UnreachableError, match="winsound cannot play the speech: Failed to play sound"):
        find_player().play(file)


def test_on_macos_it_is_the_program_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    for name in ("ffplay", "afplay"):
        install(tmp_path, name)
    assert find_player().program == "afplay"
