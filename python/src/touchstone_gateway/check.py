"""Asks a gateway (`touchstone serve`) about calls that do not pass through it: `POST /api/v1/check`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Literal, Mapping

Decision = Literal["allowed", "warning", "repaired", "blocked"]

_log = logging.getLogger("touchstone_gateway")


class CheckUnavailable(Exception):
    """The gateway did not check the call: it is unreachable, or refuses the request."""


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
    """What was decided about a call. `checked` is False if `fail_open` let an unchecked call pass."""

    decision: Decision
    input: Part | None = None
    output: Part | None = None
    arguments: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    checked: bool = True

    @property
    def text(self) -> str:
        """What the model should read instead of a blocked call or result."""
        blocked = [part.text for part in (self.input, self.output) if part and part.text]
        return blocked[0] if blocked else ""


class Touchstone:
    """A gateway that is asked about calls.

    url: where it listens; defaults to `TOUCHSTONE_URL`, or else http://127.0.0.1:7411
    api_key: defaults to `TOUCHSTONE_API_KEY`
    fail_open: whether calls pass unchecked while the gateway cannot be asked; each is logged as a warning
    timeout: seconds that one check may take
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
        if not base.startswith(("http://", "https://")):
            raise ValueError(f"the URL of the gateway must be http or https (got {base!r})")
        self._url = f"{base.rstrip('/')}/api/v1/check"
        self._api_key = api_key or os.environ.get("TOUCHSTONE_API_KEY")
        self._fail_open = fail_open
        self._timeout = timeout
        # A redirect could send the key elsewhere, and turn the request into another one.
        self._opener = urllib.request.build_opener(_NoRedirect)

    def check(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> Check:
        """Checks a call's arguments, its result (an MCP CallToolResult as JSON), or both.

        Raises CheckUnavailable if the gateway cannot be asked, unless `fail_open` is set.
        """
        call: dict[str, Any] = {"server": server, "tool": tool}
        if arguments is not None:
            call["arguments"] = arguments
        if result is not None:
            call["result"] = result
        # Raises ValueError for NaN and Infinity, which JSON does not have, and which no gateway can check.
        body = json.dumps(call, allow_nan=False, ensure_ascii=True).encode()
        try:
            return _read(self._send(body))
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
    ) -> Check:
        """Does what `check` does, on a thread."""
        return await asyncio.to_thread(self.check, server, tool, arguments, result)

    def _send(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key:
            headers["X-API-Key"] = self._api_key
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise CheckUnavailable(f"{self._url} responded with {error.code}: {_told(error)}") from error
        except (OSError, ValueError) as error:
            raise CheckUnavailable(f"cannot ask {self._url}: {error}; start touchstone serve") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _told(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(65_536))["error"])
    except (OSError, ValueError, KeyError, TypeError):
        return error.reason


_DECISIONS = ("allowed", "warning", "repaired", "blocked")


def _read(value: Any) -> Check:
    """Reads a response. What is not one blocks nothing silently: it counts as unavailable."""
    try:
        parts = {name: _part(value[name]) for name in ("input", "output") if name in value}
        more = {name: value[name] for name in ("arguments", "result") if name in value}
        return Check(decision=_decision(value), **parts, **more)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckUnavailable(f"the response to a check cannot be read: {error!r}") from error


def _part(value: Any) -> Part:
    return Part(
        decision=_decision(value),
        issues=tuple(value["issues"]),
        outcome=value.get("outcome"),
        reason=value.get("reason"),
        text=value.get("text"),
        records=tuple(value["records"]),
    )


def _decision(value: Any) -> Decision:
    decision = value["decision"]
    if decision not in _DECISIONS:
        raise ValueError(f"unknown decision {decision!r}")
    return decision
