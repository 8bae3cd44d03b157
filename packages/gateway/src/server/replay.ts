import { SchemaCache } from "@touchstone/core/advanced";
import { NO_CONTRACTS } from "@touchstone/records/plain";
import type { ActivityEntry, ActivityLog } from "@touchstone/records/record";
import { BoundedMap, createLogger } from "@touchstone/util";
import type { ContractSource } from "../contracts/contract-source.ts";
import type { CapturedFrame } from "../insight/capture/line.ts";
import {
  type CaptureFileFrame,
  OwnResponses,
  TOOLS_LIST_METHOD,
} from "../insight/capture/own-responses.ts";
import { readCaptureFile } from "../insight/capture/read-file.ts";
import { decisionOf, endedCall, type ReplayEvent } from "../insight/capture/replay-event.ts";
import { ReplayedConnection } from "../insight/capture/replayed-connection.ts";
import type { Conversation } from "../pipeline/pipeline.ts";
import { ServerRuntime } from "../relay/server-runtime.ts";
import type { ValidationSettings } from "../settings/validation.ts";

/** How to check a server's messages. */
export interface ReplaySettings {
  readonly settings: ValidationSettings;
  /** Settings of tools that differ from the server's. */
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
}

/** How many conversations to follow at a time; beyond this, the oldest counts as ended. */
const MAX_CONNECTIONS = 5_000;

/** The records of a pipeline, and the response to the gateway's own request that they are about. */
type PlacedEntry = readonly [entry: ActivityEntry, answer: CaptureFileFrame | undefined];

/** Collects what a pipeline would record. */
class Entries implements ActivityLog {
  #entries: PlacedEntry[] = [];
  /** The response that the gateway learns from; undefined while the frame that waited for it is checked. */
  about: () => CaptureFileFrame | undefined = () => undefined;

  async append(entries: readonly ActivityEntry[]): Promise<readonly never[]> {
    const answer = this.about();
    for (const entry of entries) this.#entries.push([entry, answer]);
    return [];
  }

  take(): readonly PlacedEntry[] {
    const taken = this.#entries;
    this.#entries = [];
    return taken;
  }

  async close(): Promise<void> {}
}

/** Checks captured frames with the relay's pipeline. */
class Replay {
  readonly #settingsOf: (server: string) => ReplaySettings;
  readonly #answers: OwnResponses;
  readonly #cache: SchemaCache = new SchemaCache();
  readonly #entries: Entries = new Entries();
  readonly #servers: Map<string, ServerRuntime> = new Map();
  readonly #connections: BoundedMap<string, ReplayedConnection> = new BoundedMap(MAX_CONNECTIONS);

  constructor(settingsOf: (server: string) => ReplaySettings, answers: OwnResponses) {
    this.#settingsOf = settingsOf;
    this.#answers = answers;
  }

  async frame(placed: CaptureFileFrame): Promise<readonly ReplayEvent[]> {
    const { frame, bytes } = placed;
    const { from } = frame;
    // The gateway's own requests and their responses are skipped: the replay makes its own.
    if (from === "gateway" || frame.to === "gateway") return [];
    const connection = await this.#connection(frame);
    await connection.take(from, bytes);
    return this.#entries.take().flatMap(([entry, answer]): readonly ReplayEvent[] => {
      if (entry.type === "tool_call") return endedCall(entry);
      return answer === undefined
        ? decisionOf(entry, placed, { from })
        : decisionOf(entry, answer, {
            from: "server",
            answers: answer.frame.answers ?? TOOLS_LIST_METHOD,
          });
    });
  }

  /** Ends open requests. Returns the calls without a response. */
  async end(): Promise<readonly ReplayEvent[]> {
    for (const connection of this.#connections.values()) await connection.end();
    return this.#entries.take().flatMap(([entry]) => endedCall(entry));
  }

  async #connection({
    server,
    connection,
    session,
    revision,
  }: CapturedFrame): Promise<ReplayedConnection> {
    const key = JSON.stringify([server, connection]);
    const known = this.#connections.get(key);
    if (known !== undefined) {
      known.agree(revision);
      return known;
    }
    const runtime = this.#servers.get(server) ?? this.#runtime(server);
    this.#servers.set(server, runtime);
    const conversation =
      session === undefined ? runtime.sharedConversation(undefined) : runtime.ownConversation();
    const sources = new Set<ContractSource>();
    const contracts: Conversation["contracts"] = (wanted) => {
      const source = conversation.contracts(wanted);
      sources.add(source);
      return source;
    };
    const pipeline = runtime.pipeline({ ...conversation, contracts }, async (method) => {
      const answer = this.#answers.take(server, method, connection);
      if (answer === undefined) throw new Error(`the capture has no response to ${method}`);
      const isAsking = (): boolean => [...sources].some((source) => source.asking);
      this.#entries.about = () => (isAsking() ? answer : undefined);
      return answer.bytes;
    });
    const made = new ReplayedConnection(pipeline);
    made.agree(revision);
    await this.#connections.set(key, made)?.end();
    return made;
  }

  #runtime(name: string): ServerRuntime {
    const { settings, tools = new Map() } = this.#settingsOf(name);
    return new ServerRuntime(
      { name, settings, tools },
      {
        activity: this.#entries,
        contracts: NO_CONTRACTS,
        cache: this.#cache,
        log: createLogger(() => {}, "silent"),
      },
    );
  }
}

/**
 * Checks the frames of a capture, in order, with the relay's pipeline; starts no server. Checks by a transport itself
 * (HTTP headers, sizes of frames) are not made.
 * @param settingsOf called once for each server in the file
 * @throws Error if the file cannot be read
 */
export async function* replayCapture(
  file: string,
  settingsOf: (server: string) => ReplaySettings,
): AsyncGenerator<ReplayEvent> {
  const replay = new Replay(settingsOf, await OwnResponses.in(file));
  for await (const { number, line } of readCaptureFile(file)) {
    if (!("kind" in line)) {
      yield { kind: "malformed", line: number, reason: line.fault };
    } else if (line.kind === "lost") {
      yield { kind: "missing", line: number, frames: line.lost.frames };
    } else if (line.kind === "oversize") {
      yield { kind: "missing", line: number, frames: 1 };
    } else if (line.kind === "frame") {
      if (line.frame.from !== "gateway" && line.frame.to !== "gateway") yield { kind: "frame" };
      yield* await replay.frame({ number, ...line });
    }
  }
  yield* await replay.end();
}
