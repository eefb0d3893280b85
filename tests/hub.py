"""A local server that answers the requests of `evaluate.load("namespace/name")` as the Hugging Face Hub does.

The Hub redirects HEAD and GET of `/spaces/<id>/resolve/<revision>/<file>` to the file at a commit, with an ETag of its content.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def serve_hub(space: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Serve the files of a space, which has one revision, `main`: the address, and the method and path of every request."""
    requests: list[tuple[str, str]] = []
    moved = f"/api/resolve-cache/spaces/{space}/{COMMIT}/"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.command, self.path))
            folder, _, name = self.path.rpartition("/")
            if folder == f"/spaces/{space}/resolve/main" and name in files:
                self._send(307, {"Location": moved + name, "X-Repo-Commit": COMMIT})
            elif self.path == moved + name:
                self._send(200, {"ETag": f'"{sha1(files[name]).hexdigest()}"'}, files[name])
            else:
                self._send(404, {"X-Error-Code": "EntryNotFound" if folder.endswith("/main") else "RevisionNotFound"})

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep the tests' output clean."""

        def _send(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()
