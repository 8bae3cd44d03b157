"""Starts mocks of a recorded session by the program in TOUCHSTONE_PROGRAM. `test/python.test.ts` sets it."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent.parent / "src"
sys.path.insert(0, str(SOURCE))

from touchstone_gateway.testing import MockServer, mock_server  # noqa: E402

COMMAND = json.loads(os.environ["TOUCHSTONE_PROGRAM"])
SESSION = Path(__file__).parent.parent.parent / "examples" / "mocked-agent" / "session.jsonl"


def _call(url: str, city: str) -> Any:
    params = {"name": "forecast", "arguments": {"city": city}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, body.encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as response:
        return json.load(response)


class Mocks(unittest.TestCase):
    def start(self, *args: Any, **options: Any) -> MockServer:
        server = mock_server(*args, command=COMMAND, **options)
        self.addCleanup(server.close)
        return server

    def test_returns_what_was_recorded_and_notes_calls(self):
        server = self.start(SESSION)
        self.assertEqual(server.calls(), [])
        content = _call(server.url, "Oslo")["result"]["structuredContent"]
        self.assertEqual(content["sky"], "rain")
        self.assertEqual(
            server.calls(),
            [{"tool": "forecast", "arguments": {"city": "Oslo"}, "recorded": True, "faults": []}],
        )

    def test_makes_faults_and_names_them(self):
        server = self.start(SESSION, server="weather", strict=True, faults="missing", seed=2)
        _call(server.url, "Rome")
        [fault] = server.faults()
        self.assertEqual((fault["tool"], fault["kind"]), ("forecast", "missing"))
        self.assertIn("a fault was made", server.log)
        self.assertIn("error", _call(server.url, "Bergen"))

    def test_says_why_it_does_not_start(self):
        for source, options, text in [
            ("none", {}, "there is no such file"),
            (SESSION, {"faults": "typo"}, "typo"),
        ]:
            with self.assertRaisesRegex(RuntimeError, text):
                mock_server(source, command=COMMAND, **options)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_is_a_fixture_of_pytest(self):
        with tempfile.TemporaryDirectory() as folder:
            test = Path(folder, "test_agent.py")
            test.write_text(
                "def test_agent(touchstone_mock):\n"
                f"    server = touchstone_mock({str(SESSION)!r}, command={COMMAND!r})\n"
                "    assert server.url.startswith('http://127.0.0.1:')\n"
            )
            ended = subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "touchstone_gateway.pytest_plugin", str(test)],
                env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                cwd=folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main()
