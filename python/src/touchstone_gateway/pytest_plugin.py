"""The fixture `touchstone_mock` of pytest, which finds it by itself."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Callable, Iterator

import pytest

from .testing import MockServer, mock_server


@pytest.fixture
def touchstone_mock() -> Iterator[Callable[..., MockServer]]:
    """Starts mocks as `touchstone_gateway.testing.mock_server` does, and ends them with the test."""
    with ExitStack() as servers:

        def start(*args: Any, **options: Any) -> MockServer:
            return servers.enter_context(mock_server(*args, **options))

        yield start
