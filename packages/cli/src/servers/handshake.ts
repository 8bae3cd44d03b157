import type { Client } from "@modelcontextprotocol/client";
import type { StdioTransport } from "./stdio-transport.ts";

/**
 * How long a stdio server has for the first question, which old ones may not answer, in milliseconds. One that
 * answers it later than that only starts slowly.
 */
const FIRST_MS = 3_000;
/** What is left of the whole time for the handshake that old servers know, at the least: a quarter. */
const FOR_THE_FIRST = 0.75;

/** For `versionNegotiation.probe` of a client that {@link connectWithin} connects to a stdio server. */
export interface Probe {
  readonly timeoutMs: number;
}

/** @param timeout that of an answer */
export function shortProbe(timeout: number): Probe {
  return { timeoutMs: Math.min(FIRST_MS, patientProbe(timeout).timeoutMs) };
}

/** For a server that is known to answer the first question, however slowly. */
export function patientProbe(timeout: number): Probe {
  return { timeoutMs: Math.max(1, Math.floor(timeout * FOR_THE_FIRST)) };
}

/**
 * Connects over stdio so that a server that never says anything has `timeout` for all of that, and not
 * once for each question. One that answers has it for each answer.
 *
 * @throws Error with the code `REQUEST_TIMEOUT` where nothing has come in time
 */
export async function connectWithin(
  client: Client,
  transport: StdioTransport,
  timeout: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilenceError()), timeout);
  });
  void transport.heard.then(() => clearTimeout(timer));
  try {
    await Promise.race([client.connect(transport, { timeout }), silence]);
  } finally {
    clearTimeout(timer);
  }
}

class SilenceError extends Error {
  readonly code = "REQUEST_TIMEOUT";
}
