import { Client, type Transport } from "@modelcontextprotocol/client";
import { mcpSchemaValidator } from "@touchstone/core";
import type { Probe } from "./handshake.ts";
import { closeOnStop } from "./leaving.ts";

export interface ConnectOptions {
  /** For each answer, in milliseconds; a server that never says anything has no more in all. */
  readonly timeout: number;
  /** Takes what a stdio server writes to stderr, line by line, each with its line feed. */
  readonly stderr: (text: string) => void;
  /** The command's own environment, which names proxies, and of which a stdio server gets a part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** When aborted, what is asked fails, and a stdio server has only a moment left. */
  readonly stop: AbortSignal;
}

/** A client that is connected, by this transport. */
export interface Opened {
  readonly client: Client;
  readonly transport: Transport & { readonly fault: Error | undefined };
}

/** Whether a client asks first for the latest revision, or only to initialize. */
export type Mode = "auto" | "legacy";

/** A client of the command, in this version. */
export function makeClient(version: string, mode: Mode, probe?: Probe): Client {
  return new Client(
    { name: "touchstone", version },
    {
      versionNegotiation: mode === "legacy" ? { mode } : { mode, ...(probe && { probe }) },
      jsonSchemaValidator: mcpSchemaValidator(),
    },
  );
}

/**
 * Connects a client, and closes it and its transport where that fails.
 * @throws what `connect` throws
 */
export async function connected(
  client: Client,
  transport: Opened["transport"],
  stop: AbortSignal,
  connect: (client: Client) => Promise<void>,
): Promise<Opened> {
  closeOnStop(transport, stop);
  try {
    await connect(client);
    return { client, transport };
  } catch (error) {
    await closed({ client, transport });
    throw error;
  }
}

/** Closes both, whatever comes of it. */
export async function closed({ client, transport }: Opened): Promise<void> {
  await Promise.allSettled([client.close(), transport.close()]);
}
