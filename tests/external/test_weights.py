"""Weights come whole from one commit of the hub, or not at all; each failure has its own words."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.external.hub import COMMIT, LARGE, REPOSITORY, SMALL, hub, pack, publish
from tests.loopback import FileServer
from tests.toys.engines import install_engine
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.external import weights as stored
from voxmatrix.external.installed import check_weights, find_engine, weights_folder, weights_records
from voxmatrix.external.manifest import FileTable, Manifest, WeightsTable, read_manifest
from voxmatrix.files import digest

__all__ = ["hub", "pack"]  # fixtures

TONES = WeightsTable(id="free", repo=REPOSITORY)


def fetch(weights: WeightsTable = TONES) -> str:
    return stored.fetch("toy", weights, None, lambda done, total: None)


def test_all_files_of_one_commit_are_kept_where_nobody_writes_and_are_remembered(hub: FileServer) -> None:
    steps: list[tuple[int, int]] = []
    found = stored.fetch("toy", TONES, None, lambda done, total: steps.append((done, total)))
    folder = weights_folder(found)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "config.json": SMALL,
        "model.safetensors": LARGE,
    }
    assert all(not path.stat().st_mode & 0o222 for path in (folder, *folder.iterdir()))
    assert steps[-1] == (len(LARGE) + len(SMALL),) * 2
    record = weights_records()[found]
    assert (record["engine"], record["id"], record["repo"], record["revision"]) == ("toy", "free", REPOSITORY, COMMIT)
    hub.asked.clear()
    assert fetch() == found
    assert not [name for name, _ in hub.asked if name.endswith("model.safetensors")]  # it is here


def test_parts_of_other_repositories_are_in_folders_of_their_own(hub: FileServer) -> None:
    publish(hub, "someone/codec", "b" * 40, **{"model.safetensors": b"c" * 2000})
    found = fetch(WeightsTable(id="two", repo=REPOSITORY, parts={"someone/codec": "someone/codec"}))
    assert (weights_folder(found) / "someone" / "codec" / "model.safetensors").read_bytes() == b"c" * 2000
    assert weights_records()[found]["revision"] == f"{COMMIT}+{'b' * 40}"


def test_a_part_may_be_in_the_folder_of_another(hub: FileServer) -> None:
    publish(hub, "someone/outer", "b" * 40, **{"outer.safetensors": b"b" * 2000})
    publish(hub, "someone/inner", "c" * 40, **{"inner.safetensors": b"c" * 2000})
    parts = {"parts": "someone/outer", "parts/inner": "someone/inner"}
    folder = weights_folder(fetch(WeightsTable(id="three", repo=REPOSITORY, parts=parts)))
    assert (folder / "parts" / "outer.safetensors").read_bytes() == b"b" * 2000
    assert (folder / "parts" / "inner" / "inner.safetensors").read_bytes() == b"c" * 2000


def test_weights_in_a_folder_of_their_repository_are_those_alone(hub: FileServer) -> None:
    publish(hub, **{"v2/config.json": SMALL, "v2/model.safetensors": LARGE, "config.json": b"{}"})
    folder = weights_folder(fetch(TONES.model_copy(update={"folder": "v2"})))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "config.json": SMALL,
        "model.safetensors": LARGE,
    }


def test_pickles_are_fetched_only_if_they_are_named(hub: FileServer) -> None:
    publish(hub, **{"config.json": SMALL, "model.pth": LARGE, "other.pth": LARGE})
    assert [path.name for path in weights_folder(fetch()).iterdir()] == ["config.json"]
    named = TONES.model_copy(update={"only": ("model.pth", "config.json")})
    assert {path.name for path in weights_folder(fetch(named)).iterdir()} == {"config.json", "model.pth"}


def test_a_connection_that_is_cut_is_taken_up_again(hub: FileServer) -> None:
    hub.cut_after = [10**6] * 4 + [100, 0, 50]  # the commit, the list, and the small file twice
    found = fetch()
    assert check(found)
    assert [wanted for name, wanted in hub.asked if name.endswith("model.safetensors")] == [
        None,
        "bytes=100-",
        "bytes=100-",
        "bytes=150-",
    ]


def check(found: str) -> bool:
    install_engine()
    return check_weights(found, find_engine("toy")) == weights_folder(found)


def _refused(status: int) -> Callable[[FileServer], None]:
    return lambda hub: setattr(hub, "status", status)


def _wrong_byte(name: str) -> Callable[[FileServer], None]:
    def damage(hub: FileServer) -> None:
        place = f"{REPOSITORY}/resolve/{COMMIT}/{name}"
        hub.files[place] = b"X" + hub.files[place][1:]

    return damage


def _missing(hub: FileServer) -> None:
    del hub.files[f"{REPOSITORY}/resolve/{COMMIT}/model.safetensors"]


def _no_list(hub: FileServer) -> None:
    hub.files[f"api/models/{REPOSITORY}/revision/main"] = b"<html>"


@pytest.mark.parametrize(
    ("fault", "error", "word"),
    [
        (_refused(403), UnreachableError, "conditions must be accepted"),
        (_refused(401), UnreachableError, "HF_TOKEN"),
        (_refused(404), BadInputError, "does not exist"),
        (_refused(503), UnreachableError, "503"),
        (_wrong_byte("model.safetensors"), DamagedFileError, "not the file that was expected"),
        (_wrong_byte("config.json"), DamagedFileError, "not the file that was expected"),
        (_missing, BadInputError, "does not exist"),
        (_no_list, DamagedFileError, "no list of files"),
    ],
)
def test_each_fault_of_the_hub_has_its_own_words_and_leaves_no_weights(
    fault: Callable[[FileServer], None], error: type[VoxmatrixError], word: str, hub: FileServer
) -> None:
    fault(hub)
    with pytest.raises(error) as caught:
        fetch()
    assert word in f"{caught.value.problem} {caught.value.remedy}"
    assert not weights_records()
    assert not weights_folder("").is_dir() or not [path for path in weights_folder("").iterdir() if path.is_dir()]


def test_without_room_nothing_is_downloaded(hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(UnreachableError, match="MiB free"):
        fetch()
    assert not [name for name, _ in hub.asked if name.endswith("model.safetensors")]


def test_offline_what_is_there_is_all(hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UnreachableError, match="HF_HUB_OFFLINE"):
        fetch()


def test_weights_of_the_manifest_are_those_and_no_others(hub: FileServer) -> None:
    files = {"model.safetensors": FileTable(sha256="0" * 64, bytes=len(LARGE))}
    with pytest.raises(DamagedFileError, match="not the file that was expected"):
        fetch(WeightsTable(id="pinned", repo=REPOSITORY, revision=COMMIT, files=files))


def test_a_changed_an_added_and_a_removed_file_are_noticed(hub: FileServer) -> None:
    found = fetch()
    assert check(found)
    folder, engine = weights_folder(found), find_engine("toy")
    folder.chmod(0o755)
    (folder / "more").write_bytes(b"")
    with pytest.raises(DamagedFileError, match="not what was installed"):
        check_weights(found, engine)
    (folder / "more").unlink()
    (folder / "config.json").chmod(0o644)
    (folder / "config.json").write_bytes(SMALL.upper())
    with pytest.raises(DamagedFileError):
        check_weights(found, engine)
    (folder / "config.json").unlink()
    with pytest.raises(DamagedFileError):
        check_weights(found, engine)


def test_a_folder_will_do_without_a_network(tmp_path: Path, pack: Path) -> None:
    source = tmp_path / "mine"
    (source / "sub").mkdir(parents=True)
    (source / "config.json").write_bytes(SMALL)
    (source / "sub" / "model.safetensors").write_bytes(LARGE)
    manifest = read_manifest(pack / "engine.toml")
    row = stored.row_for(manifest, source)
    assert row.id == "free"
    found = stored.copy("toy", row, None, source)
    assert check(found)
    assert weights_records()[found]["folder"] == str(source)
    (source / "config.json").write_text('{"model_type": "another"}')
    assert stored.row_for(manifest, source).id == "strict"  # that names no family
    (source / "config.json").write_text("{")
    with pytest.raises(BadInputError, match="no configuration"):
        stored.row_for(manifest, source)


def test_a_folder_with_other_files_than_the_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    right = FileTable(sha256=digest(tmp_path / "a"), bytes=1)
    row = WeightsTable(id="pinned", files={"a": right, "b": right})
    with pytest.raises(BadInputError, match="lacks b"):
        stored.copy("toy", row, None, tmp_path)
    (tmp_path / "b").write_bytes(b"2")
    with pytest.raises(DamagedFileError, match="not the file of pinned"):
        stored.copy("toy", row, None, tmp_path)
    with pytest.raises(BadInputError, match="no files"):
        stored.copy("toy", row, None, tmp_path / "nothing")


def test_a_licence_is_asked_for_with_what_it_forbids(pack: Path) -> None:
    manifest: Manifest = read_manifest(pack / "engine.toml")
    with pytest.raises(UsageError) as caught:
        stored.check_licence("strict", manifest.of("strict").licence, accepted=False)
    assert "CPML (no commercial use, also of what is spoken, it may not teach other voices)" in caught.value.problem
    assert "a page" in caught.value.remedy
    allowed = manifest.of("strict").licence.model_copy(update={"commercial": True})
    assert stored.restrictions(allowed) == "CPML (also for what is spoken, it may not teach other voices)"
    stored.check_licence("strict", manifest.of("strict").licence, accepted=True)
    stored.check_licence("free", manifest.of("free").licence, accepted=False)


def test_removed_weights_leave_nothing(hub: FileServer) -> None:
    found = fetch()
    stored.remove(found)
    assert not os.path.lexists(weights_folder(found))
    assert json.dumps(weights_records()) == "{}"
