"""A pattern that is compiled late is the pattern, and what is wrong with one is found here, not by the first reader."""

import pkgutil
import re
from importlib import import_module

import pytest

import voxmatrix.text
from voxmatrix.text.lazy_pattern import lazy_pattern


def test_it_finds_what_the_compiled_pattern_finds() -> None:
    lazy, compiled = lazy_pattern(r"(\w)(\d)", re.IGNORECASE), re.compile(r"(\w)(\d)", re.IGNORECASE)
    assert lazy.sub(r"\2\1", "A1 b2") == compiled.sub(r"\2\1", "A1 b2")
    assert lazy.findall("A1 b2") == compiled.findall("A1 b2")
    assert (lazy.pattern, lazy.flags) == (compiled.pattern, compiled.flags)


def test_it_is_compiled_when_it_is_used() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_every_pattern_of_the_rules_can_be_compiled() -> None:
    kind, found = type(lazy_pattern("")), 0
    for module in pkgutil.walk_packages(voxmatrix.text.__path__, "voxmatrix.text."):
        if not module.name.endswith("server"):  # those are programs
            for value in vars(import_module(module.name)).values():
                found += isinstance(value, kind) and bool(re.compile(value.pattern))
    assert found > 100
