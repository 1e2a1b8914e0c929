"""docker/images.toml: wrong rows are refused with the value seen, and the real ones keep their promises."""

import re

import pytest

from tools.images import rows
from tools.locks import pins

ROW = """
[cpu]
dockerfile = "Dockerfile.cpu"
base = "debian:bookworm-slim"
python = "3.11"
channel = "stable"
torch = "2.13.0"
torchaudio = "2.11.0"
cuda = ""
index = "https://wheels.example/cpu"
capabilities = []
oldest_driver = ""
platforms = ["linux/amd64"]
extras = []
size_mb = 1600
status = "tested"
source = "invented"
"""

CUDA = (
    ROW.replace("[cpu]", "[cuda]")
    .replace('cuda = ""', 'cuda = "12.4"')
    .replace("capabilities = []", 'capabilities = ["8.0", "9.0"]\nkernels = { x86_64 = ["sm_80", "sm_90"] }')
    .replace('oldest_driver = ""', 'oldest_driver = "525.60.13"\nfrom_capability = "8.0"')
)
NIGHTLY = (
    CUDA.replace("[cuda]", "[cuda-nightly]")
    .replace('channel = "stable"', 'channel = "nightly"\ninstead = "cuda"')
    .replace('torch = "2.13.0"', 'torch = "2.14.0.dev20260101"')
)
REAL_ROWS = list(rows.rows().values())
BUILDABLE = [row for row in REAL_ROWS if row.can_be_built]
STABLE = [row for row in BUILDABLE if row.channel == "stable"]


def test_a_row_is_read_whole() -> None:
    row = rows.read(ROW)["cpu"]
    assert (row.name, row.torch, row.platforms, row.image) == ("cpu", "2.13.0", ("linux/amd64",), "voxmatrix:cpu")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('torch = "2.13.0"', 'torch = "2.13"', "torch is '2.13', must be X.Y.Z"),
        ('torch = "2.13.0"', "torch = 2.13", "torch is 2.13, must be"),
        ('torch = "2.13.0"', 'torch = "2.13.0.dev20260101"', "channel is 'stable' but torch is"),
        ('channel = "stable"', 'channel = "nightly"', "channel is 'nightly' but torch is '2.13.0'"),
        ('channel = "stable"', 'channel = "beta"', "channel is 'beta', must be one of stable, nightly"),
        ('channel = "stable"', 'channel = "stable"\ninstead = "cuda"', "instead is 'cuda': required for a nightly"),
        ('cuda = ""', 'cuda = "12.4"', "kernels lacks x86_64"),
        (
            'cuda = ""',
            'cuda = "12.4"\ntorch_build = "rocm7.2"\nkernels = { x86_64 = ["sm_90"] }',
            "torch_build is 'rocm7.2', must be cuXYZ",
        ),
        (
            'cuda = ""',
            'cuda = "12.4"\ntorch_build = "cu126"\nkernels = { x86_64 = ["sm_90"] }',
            "torch_build is 'cu126', must be cu124 for CUDA 12.4",
        ),
        (
            'cuda = ""',
            'cuda = ""\ntorch_build = "cu126"\nkernels = { x86_64 = ["sm_90"] }',
            "torch_build is 'cu126', must be cuXYZ",
        ),
        ('oldest_driver = ""', 'oldest_driver = "525"', "oldest_driver and cuda must be set together"),
        ('status = "tested"', 'status = "fine"', "status is 'fine'"),
        ('python = "3.11"', 'python = "3.11.2"', "python is '3.11.2'"),
        ("size_mb = 1600", 'size_mb = "big"', "size_mb is 'big'"),
        ("size_mb = 1600", "size_mb = 0", "size_mb is 0"),
        ('["linux/amd64"]', "[]", "platforms is empty"),
        ('["linux/amd64"]', '"linux/amd64"', "platforms is 'linux/amd64', must be a list"),
        ('["linux/amd64"]', '["amd64"]', "platforms is ('amd64',), must be a list of platforms such as"),
        ("capabilities = []", 'capabilities = ["sm_90"]', "must be a list of capabilities such as 12.0"),
        ("extras = []", 'extras = []\nkernels = { x86_64 = ["90"] }', "must be lists such as sm_90"),
        ("extras = []", "extras = []\nkernels = 9", "kernels is 9, must be a table of lists"),
        ("extras = []", 'extras = []\nnote = "a | b"', "must be one line without a bar"),
        ('index = "https://wheels.example/cpu"', 'index = "http://wheels.example/cpu"', "must be an https address"),
        ('base = "debian:bookworm-slim"', 'base = "debian"', "must be NAME:TAG"),
        ('status = "tested"', 'status = "tested"\nbase_digest = "sha256:12"', "64 hexadecimal digits"),
        ('status = "tested"', 'status = "tested"\nin_ci = 1', "in_ci is 1, must be true or false"),
        ("extras = []", "", "lacks: extras"),
        ("extras = []", "extras = []\nflavour = 1", "unknown fields: flavour"),
        ("extras = []", 'extras = []\nflash_attn = "2.8.3"', "flash_attn is '2.8.3', must be set only with"),
        ("extras = []", 'extras = []\ntoolkit = "cuda:12.8"', "flash_attn is '', must be set only with"),
        ("extras = []", 'extras = []\nflash_attn = "main"', "flash_attn is 'main', must be X.Y.Z or"),
        ("[cpu]", "[CPU]", "name is 'CPU'"),
        ("[cpu]", "cpu = 3\n[other]", "cpu is outside of a row"),
        ("[cpu]", "[cpu", "invalid TOML"),
    ],
)
def test_a_wrong_row_is_named_with_the_value_seen(before: str, after: str, complaint: str) -> None:
    assert before in ROW
    with pytest.raises(rows.MatrixError, match=re.escape(complaint)):
        rows.read(ROW.replace(before, after, 1))


def test_a_nightly_names_a_stable_row_that_exists() -> None:
    assert rows.read(CUDA + NIGHTLY)["cuda-nightly"].instead == "cuda"
    with pytest.raises(rows.MatrixError, match="instead is 'cuda', which is not a stable row"):
        rows.read(NIGHTLY)


def test_torch_of_a_cuda_row_carries_its_cuda() -> None:
    assert rows.read(CUDA)["cuda"].torch_local == "cu124"
    assert rows.read(ROW)["cpu"].torch_local == "cpu"


def test_both_lists_of_architectures_come_from_the_capabilities() -> None:
    row = rows.rows()["blackwell"]
    assert (row.torch_arch_list, row.flash_archs) == ("10.0;12.0+PTX", "100;120")
    assert (rows.read(ROW)["cpu"].torch_arch_list, rows.read(ROW)["cpu"].flash_archs) == ("", "")


def test_flash_attn_is_asked_for_nothing_that_it_would_leave_out_silently() -> None:
    promised = rows.rows()["cuda13"].capabilities
    assert {"7.5", "8.6", "8.9"} <= set(promised)  # too old for it, and served by sm_80
    assert rows.rows()["cuda13"].flash_archs == "80;90;100;120"


@pytest.mark.parametrize("row", BUILDABLE, ids=lambda row: row.name)
def test_a_real_row_has_its_dockerfile(row: rows.Row) -> None:
    assert (rows.ROOT / row.dockerfile).is_file()


@pytest.mark.parametrize("row", STABLE, ids=lambda row: row.name)
def test_a_real_row_has_its_pins(row: rows.Row) -> None:
    locked = pins.parse((rows.ROOT / row.pins).read_text(encoding="utf-8"))
    assert (locked["torch"].version, locked["torchaudio"].version) == (row.torch, row.torchaudio)
    assert all(pin.hashes for pin in locked.values())


@pytest.mark.parametrize("row", [row for row in STABLE if row.flash_attn], ids=lambda row: row.name)
def test_what_compiles_flash_attn_is_locked_beside_the_image(row: rows.Row) -> None:
    locked = pins.parse((rows.ROOT / row.flash_pins).read_text(encoding="utf-8"))
    assert locked["flash-attn"].version == row.flash_attn
    assert all(pin.hashes for pin in locked.values())
    assert not locked.keys() & pins.parse((rows.ROOT / row.pins).read_text(encoding="utf-8")).keys()
    compiler = locked.get("nvidia-cuda-nvcc")
    assert (compiler is None) is bool(row.toolkit)
    assert compiler is None or compiler.version.startswith(f"{row.cuda}.")


def test_images_differ_in_nothing_but_torch_and_what_torch_asks_for() -> None:
    torchs = re.compile(r"torch|torchaudio|triton|sympy|mpmath|networkx|setuptools|(nvidia|cuda)-.*")
    seen = {}
    for row in filter(lambda row: row.can_be_built, STABLE):  # Windows has wheels of its own
        locked = pins.parse((rows.ROOT / row.pins).read_text(encoding="utf-8")).values()
        ours = [pin for pin in locked if not torchs.fullmatch(pin.name) or pin.name == "nvidia-ml-py"]
        seen[row.name] = {pin.name: pin.version for pin in ours}
    assert len(seen) > 1
    home = rows.rows()["cpu"].python
    for name, versions in seen.items():
        common = versions.keys() & seen["cpu"].keys()
        assert {project: versions[project] for project in common} == {
            project: seen["cpu"][project] for project in common
        }
        if rows.rows()[name].python == home:  # another Python may need a project more, or less
            assert versions == seen["cpu"]


@pytest.mark.parametrize("row", BUILDABLE, ids=lambda row: row.name)
def test_nothing_repeats_what_a_row_says(row: rows.Row) -> None:
    tasks = (rows.ROOT / "noxfile.py", *(rows.ROOT / "tools" / "tasks").glob("*.py"))
    for path in (rows.ROOT / row.dockerfile, *tasks):
        text = path.read_text(encoding="utf-8")
        for value in filter(None, (row.torch, row.torchaudio, row.base, row.index)):
            assert value not in text, f"{path.name} repeats {value}"


def test_the_promise_of_every_row_is_kept_by_the_kernels_it_states() -> None:
    from voxmatrix.tables.gpus import compatibility, parse_kernel
    from voxmatrix.tables.rows import capability

    for row in REAL_ROWS:
        kernels = [kernel for text in row.kernels.get("x86_64", ()) if (kernel := parse_kernel(text))]
        for promised in row.capabilities:
            assert any(compatibility().runs(kernel, capability(promised), row.cuda) for kernel in kernels), promised
