import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.locks import pins

A, B, C = (f"sha256:{letter * 64}" for letter in "abc")

_pins = st.builds(
    pins.Pin,
    name=st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5})?", fullmatch=True),
    version=st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}(\+cpu)?", fullmatch=True),
    hashes=st.frozensets(st.integers(0, 2**256 - 1).map("sha256:{:064x}".format), min_size=1, max_size=3),
)


@given(st.lists(_pins, unique_by=lambda pin: pin.name))
def test_what_is_rendered_is_read_back(given_pins: list[pins.Pin]) -> None:
    assert pins.parse(pins.render(given_pins, "heading")) == {pin.name: pin for pin in given_pins}


@given(st.text())
def test_any_text_is_read_without_a_crash(text: str) -> None:
    pins.parse(text)


def test_names_are_compared_as_indexes_compare_them() -> None:
    assert list(pins.parse(f"Jinja2==3 --hash={A}\nruamel_yaml.clib==1 --hash={B}\n")) == ["jinja2", "ruamel-yaml-clib"]


def test_constraints_have_versions_and_no_hashes() -> None:
    assert pins.constraints(pins.parse(f"b==2 --hash={A}\na==1 --hash={B}\n")) == "b==2\na==1\n"


def test_a_public_version_admits_local_ones() -> None:
    assert pins.public(pins.Pin(name="torch", version="2.13.0+cpu", hashes=frozenset({A}))).version == "2.13.0"


def test_hashes_of_another_version_are_not_kept() -> None:
    new = pins.Pin(name="torch", version="2", hashes=frozenset({A}))
    same = pins.Pin(name="torch", version="2", hashes=frozenset({B}))
    older = pins.Pin(name="torch", version="1", hashes=frozenset({C}))
    assert pins.merged(new, same, older, None).hashes == {A, B}


def test_an_index_gives_the_files_of_one_version_and_python_only(monkeypatch: pytest.MonkeyPatch) -> None:
    links = {
        "torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl": A,
        "torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_aarch64.whl": B,
        "torch-2.13.0%2Bcpu-cp312-cp312-manylinux_2_28_x86_64.whl": C,
        "torch-2.13.0-cp311-cp311-macosx_14_0_arm64.whl": C,
        "torch-2.12.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl": C,
    }
    page = "".join(f'<a href="../{name}#{digest.replace(":", "=")}">x</a>' for name, digest in links.items())
    asked = []

    def answer(address: str, **_: Any) -> io.BytesIO:
        asked.append(address)
        return io.BytesIO(page.encode())

    monkeypatch.setattr(pins.urllib.request, "urlopen", answer)
    offered = pins.on_index("https://wheels.example/cpu/", "torch", "2.13.0", "3.11", "cpu")
    assert asked == ["https://wheels.example/cpu/torch/"]
    assert offered is not None
    assert offered.hashes == {A, B}


def test_an_index_that_cannot_be_asked_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no route")

    monkeypatch.setattr(pins.urllib.request, "urlopen", refuse)
    assert pins.on_index("https://wheels.example", "torch", "1", "3.11", "") is None
