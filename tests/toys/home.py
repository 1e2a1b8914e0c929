"""A home in which there is something of everything that voxmatrix keeps, and its files cut off."""

from collections.abc import Iterator
from pathlib import Path

from tests.kokoro.conftest import VOICES, write_network, write_styles
from tests.machine.measured import RTX_3060, measurement
from tests.serve.conftest import copy_voice
from tests.serve.jobs.test_store import make_job
from tests.serve.routes.test_recordings import TEXTS, wav
from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.config import home
from voxmatrix.machine.profile import Profile
from voxmatrix.machine.profile_store import keep
from voxmatrix.machine.saved_device import SavedDevice, save_device
from voxmatrix.remote.servers import RemoteVoice, Server, save_server
from voxmatrix.serve.jobs.store import JobStore
from voxmatrix.serve.recordings.prompt_list import PromptList
from voxmatrix.serve.security.keys import add_key
from voxmatrix.voices.resolve import make_default

JOB = "a" * 32


def fill_home(voice: Path) -> None:
    """A voice of each family, the settings, keys, a lexicon, a profile, a job and a recording."""
    copy_voice(voice, home() / "voices" / "mine.onnx")
    kokoro = home() / "voices" / "kokoro"
    write_network(kokoro / "kokoro-v1.0.int8.onnx")
    for name, mean in list(VOICES.items())[:2]:
        write_styles(kokoro / "voices" / f"{name}.bin", mean)
    install_engine()
    write_toy_voice()
    remote = RemoteVoice(server="other", voice="anna", model="tts-1", rate_hz=24000, language="en-us")
    save_server("other", Server(url="http://127.0.0.1:9/v1"), [remote])
    make_default("mine")
    save_device(SavedDevice(device="cpu"))
    add_key(home() / "keys.txt")
    (home() / "lexicon.txt").write_text("Annabella|[[ˈænə]]\n", encoding="utf-8")
    keep(Profile(device=RTX_3060, measurements=(measurement(),)))
    with JobStore(home() / "jobs" / "server" / "jobs.sqlite") as store:
        store.add(make_job(JOB, state="done"))
    folder = home() / "recordings" / "Anna" / "First"
    prompts = PromptList(profile="Anna", name="First", folder=folder, language="en-US", prompts=tuple(TEXTS[:3]))
    prompts.write()
    for number in (1, 2):
        prompts.sound_path(number).write_bytes(wav(number))
        prompts.text_path(number).write_text(TEXTS[number - 1] + "\n", encoding="utf-8")


def files_of(folder: Path) -> list[Path]:
    """The files below a folder that are no links, as paths in it."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in found if "env" not in path.parts and path.name != ".lock")


def cuts(names: list[Path]) -> Iterator[tuple[Path, float]]:
    """Each file, with the part of it that is left."""
    return ((name, part) for name in names for part in (0.0, 1 / 3, 2 / 3))


def cut(path: Path, part: float) -> None:
    """Leave only the first part of a file."""
    path.write_bytes(path.read_bytes()[: round(path.stat().st_size * part)])
