"""A local server that answers requests for the files of a space as the Hugging Face Hub does.

It serves only the requests of `evaluate.load("namespace/name")`: HEAD and GET of
`/spaces/<id>/resolve/<revision>/<file>`. The Hub redirects such a request to the file at a commit, has the file's
version in an ETag, and names missing files in `X-Error-Code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_FILE = re.compile(
    r"/(?P<cache>api/resolve-cache/)?spaces/(?P<space>[^/]+/[^/]+)/(resolve/)?(?P<revision>[^/]+)/(?P<file>.+)"
)


@dataclass
class Hub:
    """A running server.

    Attributes:
        endpoint: its address, for the environment variable HF_ENDPOINT.
        requests: the method and the path of every request, in order.
    """

    endpoint: str
    requests: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def serve_hub(spaces: Mapping[str, Mapping[str, bytes]]) -> Iterator[Hub]:
    """Serve spaces: file name → content, by `namespace/name`. Each has one revision, `main`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep the tests' output clean."""

        def _answer(self, with_body: bool) -> None:
            hub.requests.append((self.command, self.path))
            asked = _FILE.fullmatch(self.path)
            if asked is None or asked["space"] not in spaces:
                self._send(401, {"X-Error-Code": "RepoNotFound"})
            elif asked["revision"] not in ("main", COMMIT):
                self._send(404, {"X-Error-Code": "RevisionNotFound"})
            elif asked["file"] not in spaces[asked["space"]]:
                self._send(404, {"X-Error-Code": "EntryNotFound"})
            elif not asked["cache"]:
                location = f"/api/resolve-cache/spaces/{asked['space']}/{COMMIT}/{asked['file']}"
                self._send(307, {"Location": location, "X-Repo-Commit": COMMIT})
            else:
                content = spaces[asked["space"]][asked["file"]]
                self._send(200, {"ETag": f'"{sha1(content).hexdigest()}"'}, content, with_body)

        def _send(self, status: int, headers: Mapping[str, str], body: bytes = b"", with_body: bool = False) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub = Hub(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
