"""Keys: made, stored as digests, checked."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.serve.conftest import Serve, error_of
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.serve.security.keys import add_key, checked_digest, is_known, read_key, read_keys


def test_a_new_key_is_known_and_not_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    first, second = add_key(file), add_key(file)
    digests = read_keys(file)
    assert len(digests) == 2
    assert is_known(first, digests)
    assert is_known(second, digests)
    assert not is_known(first[:-1], digests)
    assert first not in file.read_text(encoding="utf-8")


def test_comments_are_allowed(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# ours\n\n{sha256(b'a').hexdigest().upper()} of Anna", encoding="utf-8")
    assert is_known("a", read_keys(file))
    add_key(file)
    assert len(read_keys(file)) == 2


@pytest.mark.parametrize("content", ["", "# nothing\n", "secret\n", f"{'0' * 63}\n"])
def test_a_file_without_keys_or_with_something_else_is_an_error(tmp_path: Path, content: str) -> None:
    file = tmp_path / "keys"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError):
        read_keys(file)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError):
        read_keys(tmp_path / "keys")


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "missing_api_key"),
        ("", "missing_api_key"),
        ("Basic a2V5", "missing_api_key"),
        ("Bearer", "missing_api_key"),
        ("Bearer wrong", "invalid_api_key"),
        ("Bearer \xff", "invalid_api_key"),
    ],
)
def test_without_a_known_key_only_health_is_answered(serve: Serve, header: str | None, code: str) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    for path in ("/v1/models", "/metrics", "/openapi.json", "/v1/machine", "/nowhere", "/info"):
        answer = server.get(path, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert error_of(answer)["code"] == code
    assert server.get("/healthz").status_code == server.get("/readyz").status_code == 200
    for given in ({"Authorization": "bearer right"}, {"X-API-Key": "right"}, {"api-key": "right"}):
        assert server.get("/v1/models", headers=given).status_code == 200
    assert server.get("/v1/models", headers={"X-API-Key": "wrong"}).status_code == 401


def test_lists_can_be_open(serve: Serve) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]), open_lists=True)
    for path in ("/v1/models", "/v1/audio/models", "/v1/audio/voices", "/audio/voices/"):
        assert server.get(path).status_code == 200
    for path in ("/v1/machine", "/voices", "/v1/models/tts-1", "/v1/jobs"):
        assert server.get(path).status_code == 401
    assert server.speak().status_code == 401


@pytest.mark.parametrize("host", ["voxmatrix:3104", "tts.lan", "myhost.local", "192.0.2.1", ""])
def test_with_a_key_the_name_of_the_server_is_free(serve: Serve, host: str) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))
    assert server.get("/v1/models", headers={"Host": host, "X-API-Key": "right"}).status_code == 200
    assert server.get("/v1/models", headers={"Host": host}).status_code == 401


@pytest.mark.parametrize("key", ["short", "", "with a space in it", "mit-ümlaut-und-mehr", "x" * 15])
def test_a_key_that_is_too_short_or_no_header_is_an_error(tmp_path: Path, key: str) -> None:
    file = tmp_path / "key"
    file.write_text(key, encoding="utf-8")
    with pytest.raises(UsageError, match="key"):
        read_key(file)


def test_a_key_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("a-secret-of-our-own\n", encoding="utf-8")
    assert is_known("a-secret-of-our-own", [read_key(file)])


def test_a_short_key_is_refused_with_a_way_to_make_one() -> None:
    with pytest.raises(UsageError, match=r"has 8 characters.* guessed") as caught:
        checked_digest("password", "`key`")
    assert "at least 16" in caught.value.remedy and "openssl rand -hex 16" in caught.value.remedy
    assert "password" not in caught.value.problem
