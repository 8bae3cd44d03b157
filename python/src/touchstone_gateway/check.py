"""Asks a gateway (`touchstone serve`) about calls that do not pass through it: `POST /api/v1/check`."""

from __future__ import annotations

import asyncio
import http.client
import ipaddress
import json
import logging
import os
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Literal, Mapping

from .deadline import Deadline, WatchedHTTPHandler, WatchedHTTPSHandler

Decision = Literal["allowed", "warning", "repaired", "blocked"]

_log = logging.getLogger("touchstone_gateway")

# The largest response to read, in bytes: no message that the gateway takes is larger.
_MAX_RESPONSE = 64 * 1024 * 1024


class CheckUnavailable(Exception):
    """The gateway did not check the call: it is unreachable, refuses the request, or its response has another form."""


class CheckBlocked(Exception):
    """The gateway blocks the call or its result. The message is the text for the model."""

    def __init__(self, check: "Check") -> None:
        super().__init__(check.text)
        self.check = check


@dataclass(frozen=True)
class Part:
    """What was decided about the arguments or the result."""

    decision: Decision
    issues: tuple[Mapping[str, Any], ...] = ()
    outcome: str | None = None
    reason: str | None = None
    text: str | None = None
    records: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """What was decided about a call. `checked` is False if `fail_open` let an unchecked call pass.

    `revision` is the MCP revision that it was checked by; None if it was not checked, or by an older gateway.
    """

    decision: Decision
    input: Part | None = None
    output: Part | None = None
    arguments: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    checked: bool = True
    revision: str | None = None

    @property
    def text(self) -> str:
        """What the model should read instead of a blocked call or result."""
        blocked = [part.text for part in (self.input, self.output) if part and part.text]
        return blocked[0] if blocked else ""


class Touchstone:
    """Asks a gateway about calls. Uses no proxy for this machine: `localhost`, 127.0.0.0/8 and ::1. Follows no redirect.

    url: where it listens; defaults to `TOUCHSTONE_URL`, or else http://127.0.0.1:7411
    api_key: sent to that address only; defaults to `TOUCHSTONE_API_KEY`
    fail_open: whether calls pass unchecked while the gateway cannot be reached; each is logged as a warning
    timeout: seconds that one check may take, however slowly the response comes; a connection to each further address of the
        host may take as long again
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        fail_open: bool = False,
        timeout: float = 10.0,
    ) -> None:
        base = url or os.environ.get("TOUCHSTONE_URL") or "http://127.0.0.1:7411"
        host = _host_of(base)
        self._url = f"{base.rstrip('/')}/api/v1/check"
        self._api_key = api_key or os.environ.get("TOUCHSTONE_API_KEY")
        if self._api_key and not re.fullmatch(r"[\x21-\x7e]+", self._api_key):
            # The value stays out of the message.
            raise ValueError("the API key must be visible ASCII characters without spaces or line breaks")
        self._fail_open = fail_open
        self._timeout = timeout
        # A redirect could send the key elsewhere, and turn the request into another one.
        handlers: list[Any] = [_NoRedirect, WatchedHTTPHandler, WatchedHTTPSHandler]
        if _is_own_machine(host):
            # A proxy of the environment would get the key and the arguments, and could answer for the gateway.
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def check(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
        revision: str | None = None,
    ) -> Check:
        """Checks a call's arguments, its result (an MCP CallToolResult as JSON), or both.

        revision: the MCP revision that client and server speak; defaults to that of the gateway's list of the server's tools
        Raises CheckUnavailable if the gateway cannot be reached, unless `fail_open` is set.
        """
        call: dict[str, Any] = {"server": server, "tool": tool}
        if arguments is not None:
            call["arguments"] = arguments
        if result is not None:
            call["result"] = result
        if revision is not None:
            call["revision"] = revision
        # Raises ValueError for NaN and Infinity, which JSON does not have, and which no gateway can check.
        body = json.dumps(call, allow_nan=False, ensure_ascii=True).encode()
        try:
            return _read(
                self._send(body),
                has_input=arguments is not None or result is None,
                has_output=result is not None,
            )
        except CheckUnavailable as error:
            if not self._fail_open:
                raise
            _log.warning("%s/%s goes on unchecked: %s", server, tool, error)
            return Check(decision="allowed", checked=False)

    async def acheck(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
        revision: str | None = None,
    ) -> Check:
        """Does what `check` does, on a thread."""
        return await asyncio.to_thread(self.check, server, tool, arguments, result, revision)

    def _send(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key:
            headers["X-API-Key"] = self._api_key
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        with Deadline(self._timeout) as deadline:
            request.deadline = deadline  # type: ignore[attr-defined]
            return self._exchange(request, deadline)

    def _exchange(self, request: urllib.request.Request, deadline: Deadline) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                if response.status != 200:
                    raise CheckUnavailable(f"{self._url} responded with {response.status}, not with 200")
                text = response.read(_MAX_RESPONSE + 1)
                # What read() does not say: the connection ended before the length that was announced.
                is_cut = bool(response.length) and len(text) <= _MAX_RESPONSE
            if len(text) > _MAX_RESPONSE:
                raise CheckUnavailable(f"the response of {self._url} is over {_MAX_RESPONSE} bytes")
            if is_cut or deadline.is_over:
                raise ValueError("the response is incomplete")
            return json.loads(text, parse_constant=_no_constant)
        except urllib.error.HTTPError as error:
            raise CheckUnavailable(f"{self._url} responded with {error.code}: {_told(error)}") from error
        except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
            reason = f"no whole response within {self._timeout} s" if deadline.is_over else error
            raise CheckUnavailable(f"cannot ask {self._url}: {reason}; start touchstone serve") from error


def _host_of(url: str) -> str:
    """Returns the host of a gateway's URL. Raises ValueError for a URL that has none; the message does not show the URL."""
    if not url.startswith(("http://", "https://")):
        raise ValueError("the URL of the gateway must be http or https")
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        # The error would show a password in the URL.
        raise ValueError("the URL of the gateway has an invalid host or port") from None
    if not host or "@" in parts.netloc:
        raise ValueError("the URL of the gateway must have a host, and no user or password; pass api_key instead")
    if "?" in url or "#" in url:
        raise ValueError("the URL of the gateway must have no query and no fragment")
    return host


def _is_own_machine(host: str) -> bool:
    """Returns whether a host is this machine, in any spelling that a resolver reads: `127.1` is 127.0.0.1."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        try:
            address = ipaddress.ip_address(socket.inet_aton(name))
        except (OSError, ValueError):
            return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _told(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(65_536))["error"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError, http.client.HTTPException):
        return error.reason


# From the lightest to the heaviest.
_DECISIONS = ("allowed", "warning", "repaired", "blocked")


def _read(value: Any, *, has_input: bool, has_output: bool) -> Check:
    """Reads a response to a check of arguments, a result, or both.

    Raises CheckUnavailable for anything that a gateway does not send: members that are missing or have another type,
    an unknown decision, a check that was asked for and is missing, a decision that is not the heaviest of its parts.
    """
    try:
        _expect(value, dict, "the response")
        parts = {name: _part(value[name], name) for name in ("input", "output") if name in value}
        decision = _decision(value, "the response")
        if has_input and "input" not in parts:
            raise ValueError("input is missing: the arguments were not checked")
        # The result of a call with blocked arguments is not checked.
        is_over = "input" in parts and parts["input"].decision == "blocked"
        if has_output and not is_over and "output" not in parts:
            raise ValueError("output is missing: the result was not checked")
        heaviest = max((part.decision for part in parts.values()), key=_DECISIONS.index)
        if decision != heaviest:
            raise ValueError(f"decision is {decision!r}, but the heaviest of its parts is {heaviest!r}")
        more = {name: _expect(value[name], dict, name) for name in ("arguments", "result") if name in value}
        if "input" in parts and parts["input"].decision == "repaired" and "arguments" not in more:
            raise ValueError("arguments are missing: they were repaired")
        if "revision" in value:
            more["revision"] = _expect(value["revision"], str, "revision")
        return Check(decision=decision, **parts, **more)
    except ValueError as error:
        raise CheckUnavailable(f"the response to a check cannot be read: {error}") from error


def _part(value: Any, name: str) -> Part:
    _expect(value, dict, name)
    decision = _decision(value, name)
    issues = _expect(value.get("issues"), list, f"{name}.issues")
    for issue in issues:
        _expect(issue, dict, f"an issue of {name}")
        for member in ("path", "message", "rule"):
            _expect(issue.get(member), str, f"{member} of an issue of {name}")
        for member in ("keyword", "instancePath", "schemaPath"):
            _expect(issue.get(member, ""), str, f"{member} of an issue of {name}")
        _expect(issue.get("params", {}), dict, f"params of an issue of {name}")
    records = _expect(value.get("records"), list, f"{name}.records")
    for record in records:
        _expect(record, str, f"a record of {name}")
    texts = {
        member: _expect(value[member], str, f"{name}.{member}")
        for member in ("outcome", "reason", "text")
        if member in value
    }
    return Part(decision=decision, issues=tuple(issues), records=tuple(records), **texts)


def _decision(value: Mapping[str, Any], name: str) -> Decision:
    decision = _expect(value.get("decision"), str, f"decision of {name}")
    if decision not in _DECISIONS:
        raise ValueError(f"decision of {name} is not one of {', '.join(_DECISIONS)}")
    return decision


_TYPES = {dict: "an object", list: "an array", str: "a string"}


def _expect(value: Any, wanted: type, name: str) -> Any:
    """Returns the value. Raises ValueError if it is missing or has another type; the message does not show it."""
    if not isinstance(value, wanted):
        raise ValueError(f"{name} must be {_TYPES[wanted]}")
    return value
