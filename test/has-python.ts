import { spawnSync } from "node:child_process";

/** Whether `python3` is installed, in a version that the package supports. */
export const hasPython: boolean =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status === 0;
