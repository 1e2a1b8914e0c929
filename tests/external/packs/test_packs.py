"""Each pack has what an installation and an image need, and says what its models may be used for."""

from pathlib import Path

import pytest

from voxmatrix.external.install import FIXTURE
from voxmatrix.external.installed import LOCK, packs
from voxmatrix.external.manifest import FILE, read_manifest


@pytest.fixture(params=packs().values(), ids=lambda folder: folder.name)
def pack(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def test_it_is_complete(pack: Path) -> None:
    manifest = read_manifest(pack / FILE)
    assert manifest.engine.name == pack.name
    assert all((pack / name).is_file() for name in (manifest.engine.adapter, FIXTURE, LOCK))
    assert manifest.engine.code_licence


def test_weights_name_their_place_their_licence_and_their_memory(pack: Path) -> None:
    manifest = read_manifest(pack / FILE)
    assert manifest.weights
    for row in manifest.weights:
        own = manifest.of(row.id)
        assert row.repo.count("/") == 1
        assert own.licence is not None
        assert own.run.memory.fixed_mib > 100
        assert own.can.max_characters.get("default", 0) >= 20


def test_float16_is_never_chosen_on_blackwell(pack: Path) -> None:
    run = read_manifest(pack / FILE).run
    assert "float16" not in run.dtypes or ("float16", "capability>=10") in run.refuse


def test_what_may_not_be_sold_has_to_be_accepted() -> None:
    licence = read_manifest(packs()["xtts"] / FILE).of("v2").licence
    assert licence is not None
    assert licence.accept and licence.outputs_restricted and not (licence.commercial or licence.may_teach)


def test_indextts_may_not_teach_and_is_accepted() -> None:
    manifest = read_manifest(packs()["indextts"] / FILE).of("indextts-2-5")
    assert manifest.licence is not None and manifest.licence.accept and not manifest.licence.may_teach
    assert "100 million" in manifest.licence.name
    assert "float16" not in manifest.run.dtypes and "flash_attention_2" not in manifest.run.attention
    assert "pynini" not in (packs()["indextts"] / LOCK).read_text()
