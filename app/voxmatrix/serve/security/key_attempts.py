"""Wrong keys cost time: after some of them, each further key of that address waits for its turn.

A key that was right before from the same address never waits, so that who shares an address with somebody who guesses,
behind a proxy, works on. Nor does a wrong key that was refused before: a program with an old key guesses nothing.
"""

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass, field

#: So many different wrong keys of an address are refused at once; each further key takes its turn.
FREE_ATTEMPTS = 5
DELAY_SECONDS = 2.0
#: Keys that would wait for longer are refused unchecked.
MAX_WAIT_SECONDS = 10.0
#: An address that has sent no key that had to wait for this long begins anew.
_FORGET_SECONDS = 3600.0
#: The addresses that are remembered; the one that was heard of least recently is forgotten first.
MAX_ADDRESSES = 1024


@dataclass
class _Address:
    """What an address has sent, as digests. Both sets are small: right keys are those of the server."""

    right: set[bytes] = field(default_factory=set)
    wrong: set[bytes] = field(default_factory=set)  # the first ones
    next_turn: float = 0.0


class KeyAttempts:
    """The keys that addresses have sent. Times are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._addresses: OrderedDict[str, _Address] = OrderedDict()

    def wait_seconds(self, address: str, digest: bytes, now: float) -> float:
        """How long to wait before the key with this digest is checked. The time is reserved unless it is too long."""
        known = self._of(address)
        if now - known.next_turn > _FORGET_SECONDS:
            known.wrong.clear()
        if len(known.wrong) < FREE_ATTEMPTS or digest in known.right or digest in known.wrong:
            return 0.0
        turn = max(now, known.next_turn) + DELAY_SECONDS
        if turn - now <= MAX_WAIT_SECONDS:
            known.next_turn = turn
        return turn - now

    def note(self, address: str, digest: bytes, now: float, *, right: bool) -> None:
        """Note that a key was checked."""
        known = self._of(address)
        if right:
            known.right.add(digest)
        elif len(known.wrong) < FREE_ATTEMPTS:
            known.wrong.add(digest)
            known.next_turn = max(known.next_turn, now)

    def _of(self, address: str) -> _Address:
        name = _network(address)
        known = self._addresses.setdefault(name, _Address())
        self._addresses.move_to_end(name)
        if len(self._addresses) > MAX_ADDRESSES:
            self._addresses.popitem(last=False)
        return known


def _network(address: str) -> str:
    """The address or, of IPv6, the network of 64 bits, all of whose addresses one computer may have."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
