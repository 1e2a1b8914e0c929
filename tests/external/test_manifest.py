"""A manifest is read, or the value that is wrong is named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.external.manifest import Manifest, is_inside, read_manifest, weights_digest

WHOLE = """
[engine]
name = "hf"
protocol = 1
adapter = "adapter.py"
families = ["vibevoice", "csm"]
code_licence = "Apache-2.0"
python = ">=3.10"
torch = ">=2.6"
kinds = ["cpu", "cuda"]
imports = ["torch", "transformers"]

[can]
rate = 24000
languages = ["en", "zh"]
speed = [0.5, 2.0]
seed = "device"
stream = "frame"
max_characters = {en = 250, default = 400}
reference = {count = 1, seconds = [3, 30], transcript = "none"}
speakers_in_one_text = 4
times = false
watermark = ""

[run]
dtypes = ["bfloat16", "float32"]
refuse = [["float16", "capability>=10"]]
attention = ["flash_attention_2", "sdpa"]
memory = {fixed_mib = 6000, per_second_kib = 430, measured_on = "one H100"}

[knob.cfg]
type = "number"
least = 1
most = 4
default = 1.3
title = "Guidance"

[[weights]]
id = "vibevoice-15b"
repo = "some/where"
revision = "0123456789abcdef0123456789abcdef01234567"
folder = ""
files = {"model.safetensors" = {sha256 = "SHA", bytes = 4}}

[licence]
name = "MIT"
url = "https://example.org/licence"
commercial = true
outputs_restricted = false
may_teach = true
accept = false
""".replace("SHA", "0" * 64)


def read(text: str, tmp_path: Path) -> Manifest:
    path = tmp_path / "engine.toml"
    path.write_text(text, encoding="utf-8")
    return read_manifest(path)


def test_all_values_are_read(tmp_path: Path) -> None:
    found = read(WHOLE, tmp_path)
    assert (found.engine.name, found.can.rate, found.can.speed) == ("hf", 24000, (0.5, 2.0))
    assert found.can.reference is not None and found.can.reference.seconds == (3, 30)
    assert found.run.refuse == (("float16", "capability>=10"),)
    assert found.knob["cfg"].default == 1.3
    assert found.weights[0].files["model.safetensors"].bytes == 4
    assert found.licence is not None and found.licence.may_teach


def test_weights_have_defaults_of_their_own(tmp_path: Path) -> None:
    found = read(WHOLE.replace('folder = ""', "defaults = {cfg = 3}"), tmp_path)
    assert (found.knob["cfg"].default, found.of("vibevoice-15b").knob["cfg"].default) == (1.3, 3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("protocol = 1", "protocol = 2", "engine.protocol: Input should be 1 (it is '2')"),
        ('name = "hf"', 'name = "../hf"', "engine.name"),
        ('name = "hf"', "", "engine.name: Field required"),
        ('adapter = "adapter.py"', 'adapter = "/bin/sh"', "engine.adapter"),
        ('torch = ">=2.6"', 'torch = "new"', "engine.torch"),
        ("rate = 24000", "rate = 1", "can.rate"),
        ("seconds = [3, 30]", "seconds = [30, 3]", "can.reference: Value error, seconds must be"),
        ("capability>=10", "blackwell", "run.refuse.0.1"),
        ("default = 1.3", "default = 13", "knob.cfg: Value error, the default 13 is not between 1 and 4"),
        ('folder = ""', "defaults = {cfg = 13}", "the default 13 is not between 1 and 4"),
        ('folder = ""', "defaults = {steps = 1}", "have knobs that the engine has not: steps"),
        ("model.safetensors", "../model", "is not in the folder of the weights"),
        ("0123456789abcdef0123456789abcdef01234567", "main", "weights.0.revision"),
        ('watermark = ""', 'watermrk = ""', "can.watermrk: Extra inputs are not permitted"),
        ("[engine]", "[engine", "is not TOML"),
    ],
)
def test_a_value_that_is_wrong_is_named_with_what_to_do(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in WHOLE
    with pytest.raises(BadInputError) as caught:
        read(WHOLE.replace(old, new), tmp_path)
    assert str(tmp_path / "engine.toml") in caught.value.problem and said in caught.value.problem
    assert "docs/engines.md" in caught.value.remedy


def test_a_manifest_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot read"):
        read_manifest(tmp_path / "engine.toml")


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_as_a_manifest(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "engine.toml"
        path.write_bytes(data)
        with pytest.raises(BadInputError):
            read_manifest(path)


@pytest.mark.parametrize(("name", "inside"), [
    ("a", True), ("a/b.bin", True), ("..", False), ("a/../../b", False), ("/a", False), ("", False), ("a\\b", False),
    ("c:a", False),
])  # fmt: skip
def test_files_of_weights_are_in_their_folder(name: str, inside: bool) -> None:
    assert is_inside(name) is inside


def test_the_digest_of_weights_is_that_of_their_files_and_names() -> None:
    files = {"b": "1" * 64, "a": "2" * 64}
    assert weights_digest(files) == weights_digest(dict(reversed(files.items())))
    assert (
        len({weights_digest(files), weights_digest({"a": "1" * 64, "b": "2" * 64}), weights_digest({"a": "2" * 64})})
        == 3
    )
