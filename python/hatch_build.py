"""Puts the command into a wheel and names the platform that its native part is for."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommandHook(BuildHookInterface):
    """Reads the folder of the command and the wheel's tag from the environment (`npm run release:wheel`)."""

    def initialize(self, version, build_data):
        command = os.environ.get("TOUCHSTONE_COMMAND")
        tag = os.environ.get("TOUCHSTONE_WHEEL_TAG")
        if not command or not tag:
            raise RuntimeError("build wheels with: npm run release:wheel")
        build_data["pure_python"] = False
        build_data["tag"] = tag
        build_data["force_include"][command] = "touchstone_gateway/_command"
