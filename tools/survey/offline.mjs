// Starts a program without a network, in a process namespace that ends with it.
import { spawnSync } from "node:child_process";

const NAMESPACES = ["--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** Loopback is down in a new network namespace, and some servers listen on it. */
const WITH_LOOPBACK = 'ip link set lo up 2>/dev/null; exec "$@"';

/** Whether this machine can start a program without a network. */
export const isOfflinePossible = spawnSync("unshare", [...NAMESPACES, "true"]).status === 0;

/** Returns the words of a command that runs `words` with only these variables, and without a network if possible. */
export function offline(words, env) {
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const clean = ["env", "-i", `PATH=${process.env.PATH}`, ...set, ...words];
  return isOfflinePossible
    ? ["unshare", ...NAMESPACES, "sh", "-c", WITH_LOOPBACK, "sh", ...clean]
    : clean;
}
