"""Questions to a chat server: what is made of its answers, good and bad."""

from typing import Any

import pytest

from tests.remote.conftest import Answer, Stub, chatted, whole
from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.remote.chat import answered
from voxmatrix.remote.servers import Server

SCHEMA = {"type": "object"}


def ask(stub: Stub, **settings: Any) -> dict[str, Any]:
    server = Server(url=stub.url, **{"retry_seconds": 0.0, **settings})
    return answered(server, "small", "Choose.", "Which?", SCHEMA)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"1": "Anna"}', {"1": "Anna"}),
        ('Of course:\n```json\n{"1": "Anna"}\n```', {"1": "Anna"}),
        ('<think>{"1": "Bert"} or not</think>{"1": "Anna"}', {"1": "Anna"}),
        ('{"1": "Anna"', {}),
        ('["Anna"]', {}),
        ("I do not know.", {}),
        ("", {}),
        ("{" * 20_000 + "}", {}),
    ],
)
def test_the_object_of_an_answer_is_found_between_other_words(said: str, expected: object, stub: Stub) -> None:
    stub.queue.append(chatted(said))
    assert ask(stub) == expected
    assert stub.bodies[0]["messages"][1] == {"role": "user", "content": "Which?"}
    assert stub.bodies[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_server_that_does_not_know_schemas_is_asked_without_one(stub: Stub) -> None:
    stub.queue += [whole(b'{"error": "response_format"}', "application/json", 400), chatted('{"1": "Anna"}')]
    assert ask(stub) == {"1": "Anna"}
    assert "response_format" not in stub.bodies[1]


@pytest.mark.parametrize("content", [b"hello", b"{}", b'{"choices": []}', b'{"choices": [{"message": {}}]}', b"[1]"])
def test_what_is_no_chat_is_an_error(content: bytes, stub: Stub) -> None:
    stub.queue.append(whole(content, "application/json"))
    with pytest.raises(BadInputError, match="does not answer as a chat does"):
        ask(stub)


@pytest.mark.parametrize("answer", [whole(b"", status=503), whole(b"", status=401)])
def test_a_server_that_is_busy_or_wants_a_key_is_named(answer: Answer, stub: Stub) -> None:
    stub.queue.append(answer)
    with pytest.raises(UnreachableError):
        ask(stub)


def test_an_answer_that_comes_late_is_not_waited_for(stub: Stub) -> None:
    stub.dead = True
    with pytest.raises(UnreachableError, match="cannot be reached, or does not answer to the end"):
        ask(stub, timeout_seconds=0.5)
