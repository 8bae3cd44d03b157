import { performance } from "node:perf_hooks";
import type { Client, Transport } from "@modelcontextprotocol/client";

/**
 * Of the time that an answer may take, what a stdio server has for the first question, which old ones
 * may not answer: the rest is left for the handshake that they know.
 */
const FOR_THE_FIRST = 0.75;

/** What the MCP SDK takes to end that process, at most, in milliseconds; one that it may not end it awaits for ever. */
const ENDING_MS = 5_000;

/** For `versionNegotiation.probe` of a client that {@link connectWithin} connects to a stdio server. */
export function probeWithin(timeout: number): { readonly timeoutMs: number } {
  return { timeoutMs: Math.max(1, Math.floor(timeout * FOR_THE_FIRST)) };
}

/**
 * Connects over stdio so that a server that never says anything has `timeout` for all of that, and not
 * once for each question. One that answers has it for each answer. The MCP SDK asks on a process of its
 * own which era a server speaks, and starts the transport once it knows, or has given up.
 *
 * @throws Error with the code `REQUEST_TIMEOUT` where nothing has come in time
 */
export async function connectWithin(
  client: Client,
  transport: Transport,
  timeout: number,
): Promise<void> {
  const begun = performance.now();
  const { timeoutMs } = probeWithin(timeout);
  const start = transport.start.bind(transport);
  let timer: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    ending = setTimeout(() => reject(new SilenceError()), timeoutMs + ENDING_MS);
    transport.start = () => {
      clearTimeout(ending);
      const spent = performance.now() - begun;
      if (spent >= timeoutMs) {
        timer = setTimeout(() => reject(new SilenceError()), Math.max(0, timeout - spent));
      }
      return start();
    };
  });
  try {
    await Promise.race([client.connect(transport, { timeout }), silence]);
  } finally {
    clearTimeout(timer);
    clearTimeout(ending);
  }
}

class SilenceError extends Error {
  readonly code = "REQUEST_TIMEOUT";
}
