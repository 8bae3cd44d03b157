import { setTimeout as pause } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ProcessTree } from "@touchstone/gateway/config";

/** How long a server has to leave after its stdin was closed, then after SIGTERM; as in `wrap`. */
const HURRY_MS = 700;
/**
 * How long the MCP SDK gives it, before it kills the process that it has started. On Windows what that has started has
 * to be ended before.
 */
const SDK_GRACE_MS: number = process.platform === "win32" ? 1_500 : 2_000;

/**
 * Closes a transport once the command is to stop. A stdio server that stays is ended sooner than the MCP
 * SDK does it, which waits 2 s each time, since who stops a command kills it where that takes long,
 * and nobody is left then to end the server. Where the process has to be killed, so is what it has started:
 * the server that `npx` runs may outlive `npx`.
 */
export function closeOnStop(transport: Transport, stop: AbortSignal): void {
  const end = transport.close.bind(transport);
  let pid: number | null = null;
  let tree: ProcessTree | undefined;
  let ended: Promise<void> | undefined;
  // The SDK forgets the process when it begins to close, and takes a second close for done at once.
  transport.close = () => {
    if (transport instanceof StdioClientTransport) pid ??= transport.pid;
    if (pid !== null) tree ??= new ProcessTree(pid);
    ended ??= closed(end(), tree).finally(() => stop.removeEventListener("abort", hasten));
    return ended;
  };
  const hasten = (): void => {
    const leaving = transport.close();
    if (pid !== null) void endSoon(pid, leaving, tree);
  };
  stop.addEventListener("abort", hasten, { once: true });
}

/** Waits for a process to leave. What it has started leaves with it, or is on its own where it left in time. */
async function closed(leaving: Promise<void>, tree: ProcessTree | undefined): Promise<void> {
  const killed = new AbortController();
  const kill = pause(SDK_GRACE_MS, undefined, { ref: false, signal: killed.signal }).then(
    () => tree?.signal("SIGTERM"),
    () => {},
  );
  try {
    await leaving;
  } finally {
    killed.abort();
    await kill;
  }
}

async function endSoon(
  pid: number,
  leaving: Promise<void>,
  tree: ProcessTree | undefined,
): Promise<void> {
  const left = leaving.then(
    () => true as const,
    () => true as const,
  );
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await Promise.race([left, pause(HURRY_MS, false, { ref: false })])) return;
    await tree?.signal(signal);
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
  }
}
