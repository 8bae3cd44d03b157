import type { ApprovalStores } from "@touchstone/records/approvals";
import { ActivityError } from "@touchstone/records/errors";
import { isHeldKind } from "@touchstone/records/plain";
import type { ActivityRecord } from "@touchstone/records/record";
import { groupChanges } from "@touchstone/records/schemas";
import type { ActivityQuestion } from "@touchstone/records/serve";
import type { Attention, ShownAlert } from "./api/operator-schemas.ts";

/** How many items of one kind a response contains. */
const MAX_ITEMS = 10;
/** How many records of schema changes are read. */
const MAX_CHANGES = 200;

export interface AttentionParts {
  readonly pins: ApprovalStores["pins"];
  /** The configured servers. */
  readonly servers: () => readonly {
    readonly name: string;
    readonly failed: boolean;
    readonly error: string | undefined;
  }[];
  readonly alerts: () => readonly ShownAlert[];
  /** Asks the thread that reads records. */
  readonly ask: (question: ActivityQuestion, signal: AbortSignal) => Promise<Response>;
}

type Held = Attention["held"]["items"];

interface Waiting<Item> {
  readonly count: number | null;
  readonly atLeast: boolean;
  readonly items: readonly Item[];
  readonly error?: string;
}

function counted<Item>(items: readonly Item[], atLeast = false): Waiting<Item> {
  return { count: items.length, atLeast, items: items.slice(0, MAX_ITEMS) };
}

/** Returns what was read, or an error: an unknown number must not be shown as 0. */
async function orUnknown<Item>(read: () => Promise<Waiting<Item>>): Promise<Waiting<Item>> {
  try {
    return await read();
  } catch (thrown) {
    const error = thrown instanceof ActivityError ? thrown.message : "It cannot be read.";
    return { count: null, atLeast: false, items: [], error };
  }
}

/**
 * Finds the items that wait for an operator. It is called every few seconds, so approvals are only read if they have
 * changed.
 */
export class AttentionView {
  readonly #parts: AttentionParts;
  readonly #held: Map<string, { readonly version: number; readonly items: Held }> = new Map();

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** @param since from when on to count changes of schemas, in the format of the API */
  async show(since = "24h", signal: AbortSignal): Promise<Attention> {
    const { servers, alerts } = this.#parts;
    const failed = servers().filter(({ failed }) => failed);
    const unsent = alerts().flatMap(({ id, place, last }) =>
      last === null || last.sent ? [] : [{ id, place, reason: last.reason ?? "" }],
    );
    const [held, schemaChanges] = await Promise.all([
      orUnknown(() => this.#heldNow()),
      orUnknown(() => this.#changes(since, signal)),
    ]);
    return {
      held,
      servers: counted(failed.map(({ name, error = "" }) => ({ name, error }))),
      schemaChanges,
      alerts: counted(unsent),
    };
  }

  async #heldNow(): Promise<Waiting<Held[number]>> {
    const { pins } = this.#parts;
    const names = await pins.servers();
    const all: Held[number][] = [];
    for (const server of names) {
      const known = this.#held.get(server);
      const read = await pins.read(server, known?.version);
      if (read === undefined) {
        all.push(...(known?.items ?? []));
        continue;
      }
      const items = read.pins
        .filter(({ kind, state }) => state === "held" && isHeldKind(kind))
        .map(({ kind, name, hash }) => ({ server, kind, name, hash }));
      this.#held.set(server, { version: read.version, items });
      all.push(...items);
    }
    for (const server of this.#held.keys()) if (!names.includes(server)) this.#held.delete(server);
    return counted(all);
  }

  async #changes(
    since: string,
    signal: AbortSignal,
  ): Promise<Waiting<Attention["schemaChanges"]["items"][number]>> {
    const input = { type: "schema_change", since, limit: `${MAX_CHANGES}` };
    const response = await this.#parts.ask({ operation: "list", input }, signal);
    const body = (await response.json()) as {
      readonly activities?: readonly ActivityRecord[];
      readonly next_cursor?: string | null;
      readonly error?: string;
    };
    if (body.activities === undefined) {
      throw new ActivityError("BAD_FILTER", body.error ?? "It cannot be read.");
    }
    const changes = groupChanges(body.activities).flatMap(([last]) => last ?? []);
    const items = changes.map(({ id, time, server, tool }) => ({ id, time, server, tool }));
    return counted(items, body.next_cursor != null);
  }
}
