"""Base images are pinned by what their registry says, in the rows that stand on them."""

import subprocess

import pytest

from tools.locks import lock_bases

ONE, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64
TABLE = f'''
[cpu]
base = "debian:bookworm-slim"
python = "3.11"

[cuda]
base = "debian:bookworm-slim"
base_digest = "{OTHER}"
python = "3.11"

[windows]
base = "windows:ltsc"
'''


def test_every_row_of_a_base_gets_its_digest_and_other_rows_stay() -> None:
    written = lock_bases.pinned(TABLE, {"debian:bookworm-slim": ONE})
    assert written.count(f'base = "debian:bookworm-slim"\nbase_digest = "{ONE}"\npython') == 2
    assert OTHER not in written
    assert written.endswith('base = "windows:ltsc"\n')
    assert lock_bases.pinned(written, {"debian:bookworm-slim": ONE}) == written


def test_a_registry_that_does_not_answer_ends_it_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(words: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 1, "", "dial tcp: no such host\n")

    monkeypatch.setattr(lock_bases.subprocess, "run", silent)
    with pytest.raises(SystemExit, match="debian:bookworm-slim: its registry does not answer: dial tcp: no such host"):
        lock_bases.digest_of("debian:bookworm-slim")
