"""Asks the gateway at TOUCHSTONE_URL, which has the server `weather` in strict. `test/python.test.ts` starts both."""

import asyncio
import json
import os
import socket
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

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

    def test_checks_by_the_revision_that_is_named(self):
        result = {"content": [], "structuredContent": {"city": "Oslo", "temperature": 18}}
        for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
            check = Touchstone(URL).check("weather", "get_weather", GOOD, result, revision)
            self.assertEqual(check.revision, revision)
            # Results of the last one have resultType.
            self.assertEqual(check.decision, "warning" if revision == "2026-07-28" else "allowed")
        with self.assertRaisesRegex(CheckUnavailable, "revision"):
            Touchstone(URL).check("weather", "get_weather", GOOD, revision="2025-01-01")

    def test_refuses_numbers_that_json_does_not_have(self):
        with self.assertRaises(ValueError):
            Touchstone(URL, fail_open=True).check("weather", "get_weather", {"city": float("nan")})


class Unavailable(unittest.TestCase):
    """Whatever goes wrong with the gateway raises, unless it was asked to fail open."""

    def expect(self, url, named, timeout=1):
        with self.assertRaisesRegex(CheckUnavailable, named):
            Touchstone(url, timeout=timeout).check("weather", "get_weather", GOOD)
        with self.assertLogs("touchstone_gateway", "WARNING"):
            check = Touchstone(url, timeout=timeout, fail_open=True).check("weather", "get_weather", GOOD)
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
            (200, b"[" * 100_000),
            (201, _text()),
            (200, _text().replace(b"[]", b"NaN", 1)),
            (503, b"busy"),
        ]:
            with self.subTest(body=body[:80]), Lying(status, body) as server:
                self.expect(server.url, "response|responded|cannot ask")

    def test_what_is_not_http(self):
        with Lying(200, b"", line=b"SSH-2.0-OpenSSH_9.2\r\n") as server:
            self.expect(server.url, "cannot ask")

    def test_responses_that_never_end(self):
        # Each byte comes in time; the whole does not.
        head = b"HTTP/1.1 200 OK\r\n"
        for start, drip in [
            (head + b"Content-Length: 1000000\r\n\r\n", b" "),
            (head + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            (head + b"X-Header: ", b"x"),
            (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            (b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        ]:
            with self.subTest(start=start, drip=drip), Lying(200, b"", line=start, drip=drip) as server:
                self.expect(server.url, "no whole response within 0.3 s|responded with 503", timeout=0.3)

    def test_a_response_that_is_shorter_than_announced(self):
        line = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(_text()) + 1, _text())
        with Lying(200, b"", line=line) as server:
            self.expect(server.url, "is incomplete")

    def test_redirects_are_not_followed(self):
        with Lying(200, _text()) as other:
            for status in (301, 302, 303, 307, 308):
                with self.subTest(status=status), Lying(status, b"", location=other.url) as server:
                    self.expect(server.url, f"responded with {status}")
            self.assertEqual(other.seen, [])

    def test_urls_that_name_no_gateway_and_are_not_shown(self):
        for url in [
            "ftp://u:hunter2@127.0.0.1",
            "u:hunter2@127.0.0.1:7411",
            "http://u:hunter2@127.0.0.1",
            "http://u:hunter2@[::1",
            "http://u:hunter2@\u2100.example",
            "http://127.0.0.1:hunter2",
            "http://127.0.0.1/?key=hunter2",
            "http://127.0.0.1/#hunter2",
            "http://",
        ]:
            with self.subTest(url=url), self.assertRaisesRegex(ValueError, "^the URL of the gateway") as raised:
                Touchstone(url)
            self.assertNotIn("hunter2", str(raised.exception))
            self.assertIsNone(raised.exception.__cause__)
            self.assertTrue(raised.exception.__suppress_context__ or raised.exception.__context__ is None)

    def test_only_http(self):
        for url in ("file:///etc/passwd", "http://", "http://user:secret@127.0.0.1:7411", "http://127.0.0.1@example.com"):
            with self.subTest(url=url), self.assertRaises(ValueError) as raised:
                Touchstone(url)
            self.assertNotIn("secret", str(raised.exception))

    def test_a_key_that_no_header_can_carry(self):
        for key in ("secret\n", "sec ret", "s\u00e9cret"):
            with self.subTest(key=key), self.assertRaises(ValueError) as raised:
                Touchstone("http://127.0.0.1:7411", api_key=key)
            self.assertNotIn(key.strip(), str(raised.exception))


def _value(**more):
    part = {"decision": "allowed", "issues": [], "records": ["01"]}
    return {"decision": "allowed", "input": {**part, **more}}


def _text(**more):
    return json.dumps(_value(**more)).encode()


ISSUE = {"path": "/city", "message": "must be string", "rule": "type"}


class Form(unittest.TestCase):
    """What does not have the form of a response is never read as a decision."""

    def ask(self, value, result=None):
        with Lying(200, json.dumps(value).encode()) as server:
            arguments = GOOD if result is None else None
            return Touchstone(server.url).check("weather", "get_weather", arguments, result)

    def test_reads_every_decision(self):
        self.assertEqual(self.ask(_value(issues=[ISSUE], outcome="pass", more=1)).decision, "allowed")
        for decision in ("warning", "repaired", "blocked"):
            value = {**_value(decision=decision, text="no"), "decision": decision, "arguments": {"city": "x"}}
            check = self.ask(value)
            self.assertEqual((check.decision, check.input.decision, check.text), (decision, decision, "no"))

    def test_refuses_every_other_form(self):
        whole = _value()
        for value in [
            {"decision": "allowed"},
            {},
            None,
            "allowed",
            {**whole, "decision": "fine"},
            {**whole, "decision": ["allowed"]},
            {**whole, "decision": "warning"},
            {**whole, "decision": "allowed", "input": _value(decision="blocked")["input"]},
            {**whole, "input": None},
            {**whole, "output": {}},
            {**whole, "arguments": [1]},
            {**whole, "result": "x"},
            {**_value(decision="repaired"), "decision": "repaired"},
            {"decision": "allowed", "output": whole["input"]},
            *(_value(**{name: value}) for name in ("issues", "records") for value in (None, {}, "x", [None])),
            *(_value(**{name: value}) for name in ("outcome", "reason", "text") for value in (None, 1, {})),
            *(_value(issues=[{**ISSUE, name: 1}]) for name in (*ISSUE, "keyword", "schemaPath", "params")),
            *(_value(issues=[{k: v for k, v in ISSUE.items() if k != name}]) for name in ISSUE),
        ]:
            with self.subTest(value=value), self.assertRaisesRegex(CheckUnavailable, "cannot be read"):
                self.ask(value)

    def test_a_result_that_was_not_checked(self):
        with self.assertRaisesRegex(CheckUnavailable, "output is missing"):
            self.ask(_value(), {"content": []})


class Proxies(unittest.TestCase):
    """A proxy of the environment gets nothing that is for this machine, and cannot answer for the gateway."""

    def setUp(self):
        self.proxy = Lying(200, _text())
        self.proxy.__enter__()
        self.addCleanup(self.proxy.__exit__)
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "no_proxy", "NO_PROXY")
        values = {name: self.proxy.url for name in names if "no" not in name.lower()}
        kept = {name: value for name, value in os.environ.items() if name not in names}
        patch = mock.patch.dict(os.environ, {**kept, **values}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def test_this_machine_is_asked_directly(self):
        with Lying(200, _text(decision="blocked").replace(b'"allowed"', b'"blocked"')) as server:
            for host in ("127.0.0.1", "localhost", "LOCALHOST", "127.1", "2130706433", "127.0.0.2", "0.0.0.0"):
                url = f"http://{host}:{server.port}"
                with self.subTest(url=url):
                    try:
                        check = Touchstone(url, api_key="SECRETKEY").check("s", "t", GOOD)
                        self.assertEqual(check.decision, "blocked")
                    except CheckUnavailable as error:
                        # The machine resolves this name otherwise, or not at all.
                        self.assertIn("cannot ask", str(error))
            self.assertIn("SECRETKEY", server.seen[0])
        self.assertEqual(self.proxy.seen, [])

    def test_the_loopback_of_ipv6(self):
        for host in ("[::1]", "[::ffff:127.0.0.1]", "[::]"):
            with self.subTest(host=host), self.assertRaisesRegex(CheckUnavailable, "cannot ask"):
                Touchstone(f"http://{host}:1", api_key="SECRETKEY").check("s", "t", GOOD)
        self.assertEqual(self.proxy.seen, [])

    def test_another_host_is_asked_through_the_proxy(self):
        self.assertEqual(Touchstone("http://gateway.example").check("s", "t", GOOD).decision, "allowed")
        self.assertEqual(len(self.proxy.seen), 1)


class Lying:
    """A server, or a proxy, that always responds alike. Keeps the keys that it was sent."""

    def __init__(self, status, body, location=None, line=None, drip=None):
        self.seen = seen = []
        self._ended = ended = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                seen.append(self.headers.get("X-API-Key"))
                if line is not None:
                    self.wfile.write(line)
                    self.close_connection = True
                    try:
                        while drip is not None and not ended.wait(0.05):
                            self.wfile.write(drip)
                    except OSError:
                        pass  # The client has gone.
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                if location is not None:
                    self.send_header("Location", location)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                seen.append(self.headers.get("X-API-Key"))
                self.send_error(404)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def __exit__(self, *args):
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    unittest.main()
