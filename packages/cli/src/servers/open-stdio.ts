import { statSync } from "node:fs";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { StdioUpstream } from "@touchstone/gateway/config";
import { inheritedEnvironment, serverEnvironment } from "@touchstone/gateway/relay";
import { safeText } from "../terminal/safe-text.ts";
import type { ExactCalls } from "./exact-call.ts";
import { connectWithin, type Probe, patientProbe, shortProbe } from "./handshake.ts";
import { HeldLines } from "./held-lines.ts";
import {
  type ConnectOptions,
  closed,
  connected,
  type Mode,
  makeClient,
  type Opened,
} from "./opened.ts";
import { reachError } from "./reach-error.ts";
import { StdioTransport } from "./stdio-transport.ts";
import type { ServerTarget } from "./target.ts";

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
      throw cwdError(upstream) ?? first.fault ?? reachError(error);
    }
  }
  stop.throwIfAborted();
  held.drop();
  const again = transportTo(write);
  const opening = first.discoveredLate
    ? open(again, "auto", patientProbe(timeout))
    : open(again, "legacy");
  return opening.catch((error: unknown) => {
    throw again.fault ?? reachError(error);
  });
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
