"""Wrong keys cost time, for those who guess and for nobody else."""

import asyncio
import ipaddress
from hashlib import sha256

import pytest

from tests.serve.conftest import Serve, error_of
from voxmatrix.serve.security import middleware
from voxmatrix.serve.security.key_attempts import (
    DELAY_SECONDS,
    FREE_ATTEMPTS,
    MAX_ADDRESSES,
    MAX_WAIT_SECONDS,
    KeyAttempts,
)

HERE = "192.0.2.7"


def key(number: int) -> bytes:
    return sha256(str(number).encode()).digest()


def guess(attempts: KeyAttempts, count: int, address: str = HERE, now: float = 0.0) -> list[float]:
    """How long each of this many different wrong keys waits; who waits too long is not checked."""
    waits = []
    for number in range(count):
        waits.append(attempts.wait_seconds(address, key(number), now))
        if waits[-1] <= MAX_WAIT_SECONDS:
            attempts.note(address, key(number), now, right=False)
    return waits


def test_the_first_wrong_keys_are_free_and_the_others_wait_for_their_turn() -> None:
    waits = guess(KeyAttempts(), FREE_ATTEMPTS + 3)
    assert waits == [0.0] * FREE_ATTEMPTS + [DELAY_SECONDS, 2 * DELAY_SECONDS, 3 * DELAY_SECONDS]


def test_many_at_once_are_refused_unchecked_and_the_queue_does_not_grow() -> None:
    attempts = KeyAttempts()
    waits = guess(attempts, 1000)
    checked = [wait for wait in waits if wait <= MAX_WAIT_SECONDS]
    assert len(checked) == FREE_ATTEMPTS + MAX_WAIT_SECONDS / DELAY_SECONDS
    assert attempts.wait_seconds(HERE, key(-1), MAX_WAIT_SECONDS) == DELAY_SECONDS  # when they have had their turns


def test_a_key_that_was_right_before_never_waits() -> None:
    attempts = KeyAttempts()
    attempts.note(HERE, key(-1), 0.0, right=True)
    guess(attempts, 100)
    assert attempts.wait_seconds(HERE, key(-1), 0.0) == 0.0


def test_a_right_key_that_is_new_waits_for_seconds_and_then_never_again() -> None:
    attempts = KeyAttempts()
    guess(attempts, FREE_ATTEMPTS)
    assert attempts.wait_seconds(HERE, key(-1), 0.0) == DELAY_SECONDS
    attempts.note(HERE, key(-1), DELAY_SECONDS, right=True)
    assert attempts.wait_seconds(HERE, key(-1), DELAY_SECONDS) == 0.0


def test_a_program_with_an_old_key_guesses_nothing() -> None:
    attempts = KeyAttempts()
    for _ in range(100):
        assert attempts.wait_seconds(HERE, key(0), 0.0) == 0.0
        attempts.note(HERE, key(0), 0.0, right=False)
    assert attempts.wait_seconds(HERE, key(1), 0.0) == 0.0


def test_addresses_do_not_wait_for_each_other_and_a_network_of_ipv6_is_one() -> None:
    attempts = KeyAttempts()
    guess(attempts, 100)
    assert attempts.wait_seconds("192.0.2.8", key(-1), 0.0) == 0.0
    guess(attempts, FREE_ATTEMPTS, "2001:db8::1")
    assert attempts.wait_seconds("2001:db8::ffff:1%eth0", key(-1), 0.0) == DELAY_SECONDS
    assert attempts.wait_seconds("2001:db8:0:1::1", key(-1), 0.0) == 0.0
    assert attempts.wait_seconds("::ffff:192.0.2.7", key(-1), 0.0) > DELAY_SECONDS  # the first one


def test_an_address_begins_anew_after_a_while() -> None:
    attempts = KeyAttempts()
    guess(attempts, FREE_ATTEMPTS)
    assert attempts.wait_seconds(HERE, key(-1), 7200.0) == 0.0


def test_memory_is_bounded_by_addresses_and_keys() -> None:
    attempts = KeyAttempts()
    first = int(ipaddress.ip_address("10.0.0.0"))
    for number in range(3 * MAX_ADDRESSES):
        guess(attempts, FREE_ATTEMPTS + 2, str(ipaddress.ip_address(first + number)))
    remembered = attempts._addresses.values()
    assert len(remembered) == MAX_ADDRESSES
    assert max(len(address.wrong) for address in remembered) == FREE_ATTEMPTS


def test_the_server_makes_who_guesses_wait(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    class Loop:
        """Waits no time, and notes how long it would have been."""

        def __getattr__(self, name: str) -> object:
            return getattr(asyncio, name)

        async def sleep(self, seconds: float) -> None:
            slept.append(seconds)

    monkeypatch.setattr(middleware, "asyncio", Loop())
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))

    def status(given: str) -> int:
        return server.get("/v1/models", headers={"X-API-Key": given}).status_code

    assert status("right") == 200
    assert [status(f"wrong {number}") for number in range(FREE_ATTEMPTS)] == [401] * FREE_ATTEMPTS
    assert not slept
    answers = [server.get("/v1/models", headers={"X-API-Key": f"guess {number}"}) for number in range(20)]
    assert {answer.status_code for answer in answers} == {401, 429}
    assert slept and min(slept) > 0 and max(slept) <= MAX_WAIT_SECONDS
    refused = answers[-1]
    assert error_of(refused)["code"] == "too_many_keys" and int(refused.headers["retry-after"]) >= 1
    assert status("right") == 200  # who shares the address works on
