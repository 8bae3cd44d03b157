"""One time limit for a whole exchange over HTTP: the timeouts of sockets count from byte to byte."""

from __future__ import annotations

import socket
import threading
import urllib.request
from typing import Any


class Deadline:
    """Ends the connection that it was given when its time is over. A context manager; used for one exchange.

    seconds: counted from `with` on
    """

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.is_over = False

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._timer.cancel()

    def watch(self, connected: socket.socket) -> None:
        """Takes a connection. Raises TimeoutError if the time is over already."""
        with self._lock:
            self._socket = connected
            if self.is_over:
                raise TimeoutError("timed out")

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            if self._socket is None:
                return
            try:
                # Not that of SSLSocket, which would also change what the other thread reads from.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass  # It is closed already.


class _Watched:
    """Hands each connection of a request to the `deadline` of the request."""

    def do_open(self, http_class: Any, req: urllib.request.Request, **more: Any) -> Any:
        deadline: Deadline = req.deadline  # type: ignore[attr-defined]

        def make(host: str, **options: Any) -> Any:
            made = http_class(host, **options)
            connect = made.connect

            def connect_and_watch() -> None:
                connect()
                deadline.watch(made.sock)

            made.connect = connect_and_watch
            return made

        return super().do_open(make, req, **more)  # type: ignore[misc]


class WatchedHTTPHandler(_Watched, urllib.request.HTTPHandler):
    """Does what HTTPHandler does, for requests with a `deadline`."""


class WatchedHTTPSHandler(_Watched, urllib.request.HTTPSHandler):
    """Does what HTTPSHandler does, for requests with a `deadline`."""
