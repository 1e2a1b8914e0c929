"""A web server on this computer that has files, and misbehaves as it is told."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class FileServer:
    """`files` by name. `cut_after`: bytes after which a connection ends, one number for each of the next answers.

    `moved`: names that are found at another address. `headers` go with every answer.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    status: int | None = None
    ranges: bool = True
    moved: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)  # name, range
    keys: list[str | None] = field(default_factory=list)  # Authorization of each request


@contextmanager
def file_server() -> Iterator[FileServer]:
    state = FileServer()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name, wanted = self.path.lstrip("/"), self.headers.get("Range")
            state.asked.append((name, wanted))
            state.keys.append(self.headers.get("Authorization"))
            if name in state.moved:
                self.send_response(302)
                self.send_header("Location", state.moved[name])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = state.files.get(name)
            if state.status or content is None:
                self.send_error(state.status or 404)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            for header, value in state.headers.items():
                self.send_header(header, value)
            self.end_headers()
            cut = state.cut_after.pop(0) if state.cut_after else len(content)
            self.wfile.write(content[start : start + cut])
            self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield state
        finally:
            server.shutdown()
