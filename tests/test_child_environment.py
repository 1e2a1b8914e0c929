"""A child has what it needs of the environment, and no secret."""

import os

import pytest

from voxmatrix.child_environment import (
    drop_read_secrets,
    drop_unlisted,
    for_engine,
    for_pip,
    for_program,
    for_voxmatrix,
)

SECRETS = (
    "VOXMATRIX_KEY", "VOXMATRIX_CLUSTER", "VOXMATRIX_STORE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "REDIS_URL",
    "REDIS_PASSWORD", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "NVIDIA_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN",
    "SSH_AUTH_SOCK", "DATABASE_URL", "MY_OWN_VARIABLE",
)  # fmt: skip
NEEDED = ("PATH", "HOME", "LANG", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "SYSTEMROOT", "LOCALAPPDATA")
OF_DEVICES = (
    "CUDA_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION",
    "ZE_AFFINITY_MASK",
    "OMP_NUM_THREADS",
    "PYTORCH_CUDA_ALLOC_CONF",
)
OURS = (
    "VOXMATRIX_HOME",
    "VOXMATRIX_DEVICE",
    "VOXMATRIX_ESPEAK",
    "PYTHONPATH",
    "HF_HUB_OFFLINE",
    "HF_HOME",
    "RANK",
    "WORLD_SIZE",
)
OF_NETWORKS = ("HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE")


@pytest.fixture(autouse=True)
def _all_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*SECRETS, *NEEDED, *OF_DEVICES, *OURS, *OF_NETWORKS, "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "some value")


def test_a_program_of_others_gets_what_every_program_needs_and_no_more() -> None:
    given = for_program()
    assert given.keys() >= set(NEEDED)
    assert not given.keys() & {*SECRETS, *OF_DEVICES, *OURS, *OF_NETWORKS, "PIP_INDEX_URL"}


def test_an_engine_also_gets_what_is_about_devices() -> None:
    given = for_engine()
    assert given.keys() >= {*NEEDED, *OF_DEVICES}
    assert not given.keys() & {*SECRETS, *OURS, *OF_NETWORKS, "PIP_INDEX_URL"}


def test_a_command_of_ours_gets_its_settings_and_the_way_out() -> None:
    given = for_voxmatrix()
    assert given.keys() >= {*NEEDED, *OF_DEVICES, *OURS, *OF_NETWORKS}
    assert not given.keys() & {*SECRETS, "PIP_INDEX_URL"}


def test_a_download_gets_the_token_and_a_cluster_its_broker_and_store() -> None:
    of_a_download, of_a_cluster = for_voxmatrix(hub=True), for_voxmatrix(cluster=True)
    assert of_a_download.keys() - for_voxmatrix().keys() == {"HF_TOKEN"}
    of_clusters = ("VOXMATRIX_CLUSTER", "VOXMATRIX_STORE", "REDIS_", "AWS_")
    wanted = {name for name in SECRETS if name.startswith(of_clusters)}
    assert (of_a_cluster.keys() - for_voxmatrix().keys()) & {*SECRETS} == wanted


def test_pip_gets_its_index() -> None:
    given = for_pip()
    assert given.keys() >= {*NEEDED, *OF_NETWORKS, "PIP_INDEX_URL"}
    assert not given.keys() & {*SECRETS, *OF_DEVICES}


def test_a_server_keeps_neither_its_key_nor_its_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    drop_read_secrets()
    assert not os.environ.keys() & {"VOXMATRIX_KEY", "VOXMATRIX_CLUSTER", "REDIS_URL", "REDIS_PASSWORD"}
    assert os.environ["HF_TOKEN"]  # of its downloads


def test_a_process_of_multiprocessing_drops_what_it_has_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    drop_unlisted()
    assert os.environ.keys() >= {*NEEDED, *OURS}
    assert not os.environ.keys() & {*SECRETS}
