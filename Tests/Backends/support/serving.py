"""The options of a backend, its garbage, its line of JSON when it is ready, and its end when stdin closes."""

import argparse
import io
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.serving import make_server

USER, PASSWORD = "ada", "Correct-horse-7-battery"
GARBAGE = b'\x00\xff{"access": "'


def options(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    parser.add_argument("--access-seconds", type=int, default=300, help="lifetime of an access token")
    parser.add_argument("--refresh-seconds", type=int, default=86400, help="lifetime of a refresh token")
    parser.add_argument("--state", metavar="FOLDER", help="what must outlive the process; memory if left out")
    parser.add_argument("--garbage", type=int, default=0, metavar="N", help="answer the first N refreshes with garbage")
    return parser


class Garbage:
    """Counts down the refreshes that get garbage instead of reaching the backend."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._lock = threading.Lock()

    def is_due(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0


def spoil(app: Callable[..., Iterable[bytes]], count: int, is_refresh: Callable[[str, bytes], bool]) -> Callable[..., Iterable[bytes]]:
    """Wraps a WSGI application; `is_refresh` sees a request's path and body."""
    garbage = Garbage(count)

    def spoiled(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        if is_refresh(environ["PATH_INFO"], body) and garbage.is_due():
            start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(GARBAGE)))])
            return [GARBAGE]
        return app(environ, start_response)

    return spoiled


def announce(port: int, contract: str, resource: str = "/api/me", **variables: str) -> None:
    ready = {"base_url": f"http://127.0.0.1:{port}", "contract": contract, "variables": variables}
    print(json.dumps(ready | {"user": USER, "password": PASSWORD, "resource": resource}), flush=True)


def when_stdin_closes(stop: Callable[[], None]) -> None:
    def wait() -> None:
        while os.read(0, 1024):  # sys.stdin has a lock, and Python cannot end while somebody waits with it
            pass
        stop()

    threading.Thread(target=wait, daemon=True).start()


def hear_signals() -> None:
    """A process inherits which signals are blocked; a thread pool that starts one may have blocked them all."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})


def serve(app: Callable[..., Iterable[bytes]], port: int, contract: str, resource: str = "/api/me", **variables: str) -> None:
    """Serves a WSGI application until stdin closes or the process is told to end."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", port, app, threaded=True)
    hear_signals()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    when_stdin_closes(server.shutdown)
    announce(server.port, contract, resource, **variables)
    server.serve_forever(poll_interval=0.1)
