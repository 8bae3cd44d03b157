"""Touchstone checks every MCP tool call against what the tool declares."""

from .check import Check, CheckBlocked, CheckUnavailable, Part, Touchstone

__all__ = ["Check", "CheckBlocked", "CheckUnavailable", "Part", "Touchstone"]
