"""Asks the gateway at TOUCHSTONE_URL, which has the server `weather` in strict. `test/python.test.ts` starts both."""

import asyncio
import os
import socket
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from touchstone_gateway import CheckUnavailable, Touchstone  # noqa: E402

URL = os.environ["TOUCHSTONE_URL"]
GOOD = {"city": "Oslo"}


class Checks(unittest.TestCase):
    def test_allows_good_arguments_and_results(self):
        gateway = Touchstone(URL)
        self.assertEqual(gateway.check("weather", "get_weather", GOOD).decision, "allowed")
        result = {"content": [], "structuredContent": {"city": "Oslo", "temperature": 18}}
        self.assertEqual(gateway.check("weather", "get_weather", GOOD, result).decision, "allowed")

    def test_blocks_wrong_arguments_with_the_text_for_the_model(self):
        check = asyncio.run(Touchstone(URL).acheck("weather", "get_weather", {"city": 5}))
        self.assertEqual((check.decision, check.checked), ("blocked", True))
        self.assertIn("Change /city: must be a string", check.text)
        self.assertEqual(check.input.issues[0]["path"], "/city")

    def test_blocks_wrong_results(self):
        result = {"content": [], "structuredContent": {"city": "Oslo", "temperature": "18"}}
        check = Touchstone(URL).check("weather", "get_weather", result=result)
        self.assertEqual((check.decision, check.input), ("blocked", None))
        self.assertEqual(check.output.issues[0]["path"], "/temperature")

    def test_refuses_numbers_that_json_does_not_have(self):
        with self.assertRaises(ValueError):
            Touchstone(URL, fail_open=True).check("weather", "get_weather", {"city": float("nan")})


class Unavailable(unittest.TestCase):
    """Whatever goes wrong with the gateway raises, unless it was asked to fail open."""

    def expect(self, url, named):
        with self.assertRaisesRegex(CheckUnavailable, named):
            Touchstone(url, timeout=1).check("weather", "get_weather", GOOD)
        with self.assertLogs("touchstone_gateway", "WARNING"):
            check = Touchstone(url, timeout=1, fail_open=True).check("weather", "get_weather", GOOD)
        self.assertEqual((check.decision, check.checked), ("allowed", False))

    def test_a_gateway_that_does_not_run(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.expect(f"http://127.0.0.1:{free.getsockname()[1]}", "start touchstone serve")

    def test_a_server_that_it_does_not_know(self):
        with self.assertRaisesRegex(CheckUnavailable, "404: There is no server"):
            Touchstone(URL).check("nowhere", "x", {})

    def test_responses_that_are_none(self):
        for status, body in [
            (200, b""),
            (200, b"[]"),
            (200, b'{"decision":"fine"}'),
            (200, b'{"decision":"allowed","input":5}'),
            (302, b""),
            (503, b"busy"),
        ]:
            with self.subTest(body=body), _served(status, body) as url:
                self.expect(url, "response|responded|cannot ask")

    def test_only_http(self):
        with self.assertRaises(ValueError):
            Touchstone("file:///etc/passwd")


class _served:
    """A server that always responds alike."""

    def __init__(self, status, body):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *args):
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    unittest.main()
