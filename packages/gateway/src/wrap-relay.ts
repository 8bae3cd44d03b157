import { SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { openActivityStore } from "./activity/sqlite/open.ts";
import { DEFAULT_LIMITS } from "./config/defaults.ts";
import type { ValidationSettings } from "./policy/settings.ts";
import type { ChildLink } from "./relay/child.ts";
import type { LateEvents } from "./relay/late-events.ts";
import type { LinkEnd } from "./relay/link.ts";
import { relayStdio } from "./relay/stdio.ts";
import { ServerRuntime } from "./server-runtime.ts";
import type { WrapOptions } from "./wrap-options.ts";

/** A server that was started before the relay was there. */
export interface StartedServer {
  readonly child: ChildLink;
  readonly events: LateEvents;
}

/**
 * Relays between a client and a server that has been started, and records. Resolves when both have
 * left.
 * @throws ActivityError when the records cannot be written
 */
export async function relayWrapped(
  options: WrapOptions,
  { child, events }: StartedServer,
): Promise<LinkEnd> {
  const { name, log, limits = DEFAULT_LIMITS } = options;
  const activity = await openActivityStore({
    dataDir: options.dataDir,
    sync: options.sync ?? "normal",
  });
  try {
    await activity.append([
      { type: "system_start", source: "gateway", server: name, reason: "wrap" },
    ]);
    const { contracts } = activity;
    const runtime = new ServerRuntime(
      { name, settings: options.settings, tools: options.tools ?? new Map() },
      { activity, contracts, cache: new SchemaCache({ deadline: nodeDeadline }), log },
    );
    log.info(`${name}: checking ${describe(options.settings)}`, { records: options.dataDir });
    const end = await relayStdio({
      connect: (listener) => {
        // Behind this call: the listener wants to know the child when it hears of it.
        queueMicrotask(() => events.attach(listener));
        return child;
      },
      maxFrameBytes: limits.upstreamFrameBytes,
      input: options.input,
      output: options.output,
      maxRequestBytes: limits.requestBytes,
      pipeline: (ask) => runtime.pipeline(runtime.ownConversation(), ask),
      signal: options.signal,
    });
    if (!endedWell(end)) {
      log.error(`${name}: ${end.failedToStart ? "" : "server "}${end.reason}`);
      const reason = `server ${end.reason}`;
      await activity.append([{ type: "server_change", source: "gateway", server: name, reason }]);
    }
    await activity.append([
      { type: "system_stop", source: "gateway", server: name, reason: "wrap" },
    ]);
    return end;
  } finally {
    await activity.close();
  }
}

function describe({ input, output, protocol }: ValidationSettings): string {
  return `input ${input.mode}, output ${output.mode}, protocol ${protocol.mode}`;
}

function endedWell({ exitCode, failedToStart, stopped }: LinkEnd): boolean {
  if (failedToStart) return false;
  return exitCode === undefined ? stopped === true : exitCode === 0;
}
