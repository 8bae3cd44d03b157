"""Starts an MCP server for a test that returns what another one was recorded to return: `touchstone mock`.

With pytest, the fixture `touchstone_mock` does it, and ends the server with the test:

    def test_agent(touchstone_mock):
        server = touchstone_mock("session.jsonl", faults="type:0.5")
        run_agent(server.url)
        assert server.calls()[0]["tool"] == "get_weather"
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Sequence

_LISTENING = re.compile(r"listening at (\S+)")
# How many lines of the log to keep.
_MAX_LINES = 1_000
_END_SECONDS = 10


class MockServer:
    """A mock that runs. `url` is where it listens, for clients of all MCP revisions."""

    def __init__(self, command: Sequence[str], options: Sequence[str], timeout: float) -> None:
        self.url = ""
        self._folder = tempfile.TemporaryDirectory(prefix="touchstone-mock-")
        self._calls = Path(self._folder.name, "calls.jsonl")
        self._lines: deque[str] = deque(maxlen=_MAX_LINES)
        self._settled = threading.Event()
        own = ["mock", "--listen", "127.0.0.1:0", "--calls", str(self._calls)]
        self._child = subprocess.Popen(
            [*command, *own, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._settled.wait(timeout)
        if not self.url:
            self.close()
            raise RuntimeError(f"touchstone mock did not start:\n{self.log}")

    def calls(self) -> list[dict[str, Any]]:
        """Returns the tool calls that have a response: `tool`, `arguments`, whether it was `recorded`, and `faults`."""
        if not self._calls.exists():
            return []
        return [json.loads(line) for line in self._calls.read_text("utf-8").splitlines()]

    def faults(self) -> list[dict[str, Any]]:
        """Returns what was done wrong in responses on purpose: `tool`, `kind`, and `path` if it is in the result."""
        return [{"tool": call["tool"], **fault} for call in self.calls() for fault in call["faults"]]

    @property
    def log(self) -> str:
        """The last lines of the program's log."""
        return "\n".join(self._lines)

    def close(self) -> None:
        """Ends the program."""
        self._child.terminate()
        try:
            self._child.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join()
        self._folder.cleanup()

    def __enter__(self) -> "MockServer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read(self) -> None:
        assert self._child.stderr is not None
        with self._child.stderr as lines:
            for line in lines:
                self._lines.append(line.rstrip("\n"))
                found = _LISTENING.search(line)
                if found is not None and not self.url:
                    self.url = found[1]
                    self._settled.set()
        self._settled.set()


def mock_server(
    source: str | os.PathLike[str],
    *,
    server: str | None = None,
    strict: bool = False,
    seed: int = 0,
    faults: str | None = None,
    timeout: float = 30.0,
    command: Sequence[str] | None = None,
) -> MockServer:
    """Starts a mock. Use it in a `with` statement, or call `close`.

    source: a capture, a lock file, or a file with a `tools/list` result
    server: the server, if the file has several
    strict: whether a call that is not recorded is an error
    seed: of generated results and faults
    faults: what to do wrong, as `touchstone mock --faults` takes it: `type:0.2,slow:2s`
    timeout: seconds that the start may take
    command: how the program is started; defaults to the one of this package
    Raises RuntimeError with the program's log if it does not start.
    """
    options = ["--seed", str(seed)]
    if server is not None:
        options += ["--server", server]
    if strict:
        options.append("--strict")
    if faults is not None:
        options += ["--faults", faults]
    if command is None:
        from .command import program

        command = program()
    return MockServer(command, [*options, "--", os.fspath(source)], timeout)
