import type { Transport } from "@modelcontextprotocol/client";

/**
 * Closes a transport once the command is to stop: who stops a command kills it where that takes long, and nobody
 * is left then to end the server. It is closed once, however often that is asked for.
 */
export function closeOnStop(transport: Transport, stop: AbortSignal): void {
  const end = transport.close.bind(transport);
  let ended: Promise<void> | undefined;
  const hasten = (): void => void transport.close().catch(() => {});
  transport.close = () => {
    ended ??= end().finally(() => stop.removeEventListener("abort", hasten));
    return ended;
  };
  stop.addEventListener("abort", hasten, { once: true });
}
