import { setTimeout as pause } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** How long a server has to leave after its stdin was closed, then after SIGTERM; as in `wrap`. */
const HURRY_MS = 700;

/**
 * Closes a transport once the command is to stop. A stdio server that stays is ended sooner than the MCP
 * SDK does it, which waits 2 s each time, since who stops a command kills it where that takes long,
 * and nobody is left then to end the server.
 */
export function closeOnStop(transport: Transport, stop: AbortSignal): void {
  const end = transport.close.bind(transport);
  let pid: number | null = null;
  let ended: Promise<void> | undefined;
  // The SDK forgets the process when it begins to close, and takes a second close for done at once.
  transport.close = () => {
    if (transport instanceof StdioClientTransport) pid ??= transport.pid;
    ended ??= end().finally(() => stop.removeEventListener("abort", hasten));
    return ended;
  };
  const hasten = (): void => {
    const leaving = transport.close();
    if (pid !== null) void endSoon(pid, leaving);
  };
  stop.addEventListener("abort", hasten, { once: true });
}

async function endSoon(pid: number, leaving: Promise<void>): Promise<void> {
  const left = leaving.then(
    () => true as const,
    () => true as const,
  );
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await Promise.race([left, pause(HURRY_MS, false, { ref: false })])) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
  }
}
