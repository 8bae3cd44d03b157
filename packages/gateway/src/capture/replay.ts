import { type Issue, SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import type { ActivityEntry, ActivityLog } from "../activity/record.ts";
import { BoundedMap } from "../bounded-map.ts";
import { createLogger } from "../log.ts";
import type { Decision, Direction, ValidationSettings } from "../policy/settings.ts";
import { ServerRuntime } from "../server-runtime.ts";
import type { CapturedFrame } from "./line.ts";
import { readCaptureFile } from "./read-file.ts";
import { redactedOnly } from "./redacted.ts";
import { ReplayedConnection } from "./replayed-connection.ts";

/** What a server's messages are judged by. */
export interface ReplaySettings {
  readonly settings: ValidationSettings;
  /** Those of single tools that differ. */
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
}

/** A decision about a captured frame that is not to let it pass. */
export interface ReplayDecision {
  /** The frame's line in the file, from 1. */
  readonly line: number;
  readonly time: string;
  readonly server: string;
  readonly from: "client" | "server";
  readonly tool?: string;
  readonly direction: Direction;
  readonly decision: Exclude<Decision, "allowed">;
  readonly reason: string;
  readonly issues: readonly Issue[];
  /** Everything that it rests on was taken out of the frame, so that nobody can tell. */
  readonly redacted: boolean;
}

/** What came of a line. */
export type ReplayEvent =
  | { readonly kind: "decision"; readonly decision: ReplayDecision }
  | { readonly kind: "call"; readonly server: string; readonly tool: string; judged: boolean }
  /** The line is no line of a capture. */
  | { readonly kind: "malformed"; readonly line: number; readonly reason: string }
  /** Frames are missing here. */
  | { readonly kind: "missing"; readonly line: number; readonly frames: number }
  | { readonly kind: "frame" };

/** Conversations that are followed at a time; of more, the oldest is taken for ended. */
const MAX_CONNECTIONS = 5_000;

/** Takes what a pipeline would record. */
class Entries implements ActivityLog {
  #entries: ActivityEntry[] = [];

  async append(entries: readonly ActivityEntry[]): Promise<readonly never[]> {
    this.#entries.push(...entries);
    return [];
  }

  take(): readonly ActivityEntry[] {
    const taken = this.#entries;
    this.#entries = [];
    return taken;
  }

  async close(): Promise<void> {}
}

/** Answers to the gateway's own requests, in their order: by server and method, then by conversation. */
type Answers = Map<string, Map<string, Uint8Array[]>>;

function questionKey(server: string, method: string): string {
  return JSON.stringify([server, method]);
}

async function answersIn(file: string): Promise<Answers> {
  const answers: Answers = new Map();
  for await (const { line } of readCaptureFile(file)) {
    if (!("kind" in line) || line.kind !== "frame") continue;
    const { from, to, server, connection, answers: method = "tools/list" } = line.frame;
    if (from !== "server" || to !== "gateway") continue;
    const key = questionKey(server, method);
    const ofServer = answers.get(key) ?? new Map<string, Uint8Array[]>();
    answers.set(key, ofServer);
    ofServer.set(connection, [...(ofServer.get(connection) ?? []), line.bytes]);
  }
  return answers;
}

/** Judges captured frames once more, by the pipeline that a relay uses. */
class Replay {
  readonly #settingsOf: (server: string) => ReplaySettings;
  readonly #answers: Answers;
  readonly #cache: SchemaCache = new SchemaCache({ deadline: nodeDeadline });
  readonly #entries: Entries = new Entries();
  readonly #servers: Map<string, ServerRuntime> = new Map();
  readonly #connections: BoundedMap<string, ReplayedConnection> = new BoundedMap(MAX_CONNECTIONS);

  constructor(settingsOf: (server: string) => ReplaySettings, answers: Answers) {
    this.#settingsOf = settingsOf;
    this.#answers = answers;
  }

  async frame(
    number: number,
    frame: CapturedFrame,
    bytes: Uint8Array,
    redactions: number,
  ): Promise<readonly ReplayEvent[]> {
    const { from } = frame;
    // What the gateway said, and what was said to it, is its own affair then as now.
    if (from === "gateway" || frame.to === "gateway") return [];
    await this.#connection(frame).take(from, bytes);
    return this.#entries.take().flatMap((entry): ReplayEvent[] => {
      if (entry.type === "tool_call" && entry.tool !== undefined) {
        const judged = entry.outcome !== "skipped";
        return [{ kind: "call", server: frame.server, tool: entry.tool, judged }];
      }
      const { decision, direction, reason = "", issues = [], tool } = entry;
      if (entry.type !== "policy_decision" || direction === undefined) return [];
      if (decision !== "blocked" && decision !== "warning") return [];
      const redacted = redactions > 0 && redactedOnly(bytes, direction, issues);
      const place = { line: number, time: frame.time, server: frame.server, from };
      const named = tool === undefined ? {} : { tool };
      return [
        {
          kind: "decision",
          decision: { ...place, ...named, direction, decision, reason, issues, redacted },
        },
      ];
    });
  }

  #connection({ server, connection, session, revision }: CapturedFrame): ReplayedConnection {
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
    const pipeline = runtime.pipeline(conversation, async (method) => {
      const answer = this.#answer(questionKey(server, method), connection);
      if (answer === undefined) throw new Error(`the capture holds no answer to ${method}`);
      return answer;
    });
    const made = new ReplayedConnection(pipeline);
    made.agree(revision);
    this.#connections.set(key, made);
    return made;
  }

  #runtime(name: string): ServerRuntime {
    const { settings, tools = new Map() } = this.#settingsOf(name);
    return new ServerRuntime(
      { name, settings, tools },
      {
        activity: this.#entries,
        contracts: { replace: async () => [], toolNames: async () => new Set() },
        cache: this.#cache,
        log: createLogger(() => {}, "silent"),
      },
    );
  }

  /** The next answer of the conversation's; where it has none, the first one of another's. */
  #answer(question: string, connection: string): Uint8Array | undefined {
    const ofServer = this.#answers.get(question);
    const own = ofServer?.get(connection)?.shift();
    if (own !== undefined) return own;
    for (const others of ofServer?.values() ?? []) if (others.length > 0) return others.shift();
    return undefined;
  }
}

/**
 * Judges the frames of a capture once more, in their order, by the pipeline of the relay; no server
 * is started. What a transport checks by itself (HTTP headers, sizes of frames) is not judged.
 * @param settingsOf asked once for each server in the file
 * @throws Error where the file cannot be read
 */
export async function* replayCapture(
  file: string,
  settingsOf: (server: string) => ReplaySettings,
): AsyncGenerator<ReplayEvent> {
  const replay = new Replay(settingsOf, await answersIn(file));
  for await (const { number, line } of readCaptureFile(file)) {
    if (!("kind" in line)) {
      yield { kind: "malformed", line: number, reason: line.fault };
    } else if (line.kind === "lost") {
      yield { kind: "missing", line: number, frames: line.lost.frames };
    } else if (line.kind === "oversize") {
      yield { kind: "missing", line: number, frames: 1 };
    } else if (line.kind === "frame") {
      if (line.frame.from !== "gateway" && line.frame.to !== "gateway") yield { kind: "frame" };
      yield* await replay.frame(number, line.frame, line.bytes, line.redactions);
    }
  }
}
