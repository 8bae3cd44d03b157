import { statSync } from "node:fs";
import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { mcpSchemaValidator } from "@touchstone/core";
import type { HttpUpstream, StdioUpstream } from "@touchstone/gateway/config";
import { inheritedEnvironment, serverEnvironment } from "@touchstone/gateway/relay";
import { safeText } from "../terminal/safe-text.ts";
import type { ExactCalls } from "./exact-call.ts";
import { exactFetch } from "./exact-fetch.ts";
import { connectWithin, type Probe, patientProbe, shortProbe } from "./handshake.ts";
import { HeldLines } from "./held-lines.ts";
import { closeOnStop } from "./leaving.ts";
import { reachError } from "./reach-error.ts";
import { StdioTransport } from "./stdio-transport.ts";
import type { ServerTarget } from "./target.ts";

export interface ConnectOptions {
  /** For each answer, in milliseconds; a server that never says anything has no more in all. */
  readonly timeout: number;
  /** Takes what a stdio server writes to stderr. */
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
  readonly transport: Transport;
}

type Mode = "auto" | "legacy";

function makeClient(version: string, mode: Mode, probe?: Probe): Client {
  return new Client(
    { name: "touchstone", version },
    {
      versionNegotiation: mode === "legacy" ? { mode } : { mode, ...(probe && { probe }) },
      jsonSchemaValidator: mcpSchemaValidator(),
    },
  );
}

/**
 * Connects to a server behind a URL.
 * @throws Error where it cannot be reached, or does not answer in time
 */
export async function openHttp(
  { url, headers }: HttpUpstream,
  { timeout, env, version, stop }: ConnectOptions,
  exact: ExactCalls,
): Promise<Opened> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: exactFetch(await throughProxy(url, env), exact),
  });
  return connected(makeClient(version, "auto"), transport, stop, (client) =>
    client.connect(transport, { timeout }),
  ).catch(inWords);
}

/**
 * Starts a stdio server and connects to it. It is started once more where it ends at a question before
 * `initialize`, as those of old SDKs do, and is asked as they know it; or where it answers that question too late,
 * and then it is given longer.
 * @throws Error where it cannot be started, or does not answer in time
 */
export async function openStdio(
  { upstream, isOwnCommand = false }: ServerTarget & { readonly upstream: StdioUpstream },
  options: ConnectOptions,
  exact: ExactCalls,
): Promise<Opened> {
  const { stderr, stop, timeout, version } = options;
  const env = isOwnCommand
    ? inheritedEnvironment(options.env)
    : serverEnvironment(options.env, upstream.env);
  const write = (line: string): void => stderr(`${line}\n`);
  const transportTo = (take: (line: string) => void): StdioTransport =>
    new StdioTransport({ upstream, env, stop, exact, stderr: take });
  const open = (transport: StdioTransport, mode: Mode, probe?: Probe): Promise<Opened> =>
    connected(makeClient(version, mode, probe), transport, stop, (client) =>
      connectWithin(client, transport, timeout),
    );
  const held = new HeldLines(write);
  const first = transportTo(held.take);
  try {
    const opened = await open(first, "auto", shortProbe(timeout));
    if (!first.discoveredLate) {
      held.release();
      return opened;
    }
    await closed(opened);
  } catch (error) {
    if (!(first.discoveredLate || endedAtTheQuestion(error)) || stop.aborted) {
      held.release();
      throw cwdError(upstream) ?? reachError(error);
    }
  }
  stop.throwIfAborted();
  held.drop();
  const again = transportTo(write);
  const opening = first.discoveredLate
    ? open(again, "auto", patientProbe(timeout))
    : open(again, "legacy");
  return opening.catch(inWords);
}

async function closed({ client, transport }: Opened): Promise<void> {
  await Promise.allSettled([client.close(), transport.close()]);
}

function inWords(error: unknown): never {
  throw reachError(error);
}

async function connected(
  client: Client,
  transport: Transport,
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

/** Whether a stdio server ended at the first question, as some do that know only `initialize`. */
function endedAtTheQuestion(error: unknown): boolean {
  return (
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed &&
    /connection closed/i.test(error.message)
  );
}

/** The system does not tell a directory that is missing from a command that is. */
function cwdError({ cwd }: StdioUpstream): Error | undefined {
  if (cwd === undefined) return undefined;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return new Error(`its "cwd" is no directory: ${safeText(cwd)}; make it, or name another one`);
}

/** The gateway, which knows of proxies, is loaded only where the environment names one. */
async function throughProxy(url: string, env: ConnectOptions["env"]): Promise<typeof fetch> {
  if (!Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) return fetch;
  const { proxiedFetch } = await import("@touchstone/gateway");
  return proxiedFetch(url, env) ?? fetch;
}
