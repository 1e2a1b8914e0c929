"""The place where the server listens, and what to do where it cannot."""

import socket
from contextlib import closing

import pytest

from voxmatrix.errors import UsageError
from voxmatrix.serve.server import listening_socket


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_a_host_that_is_not_this_computer_is_named(host: str) -> None:
    with pytest.raises(UsageError, match=host) as caught:
        listening_socket(host, 0, "--port 3001")
    assert "`host`" in caught.value.remedy and "port" not in caught.value.remedy


def test_a_port_in_use_is_to_be_freed_or_changed() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as used:
        port = used.getsockname()[1]
        with pytest.raises(UsageError, match=str(port)) as caught:
            listening_socket("127.0.0.1", port, "`port=3001`")
    assert "`port=3001`" in caught.value.remedy
