import {
  type ActivityReader,
  type ActivityRecord,
  type DefinitionChange,
  definitionChange,
} from "@touchstone/gateway/activity";

/** The records related to one, if there are any. */
export interface RelatedRecords {
  /** The call that a decision is about. */
  readonly call?: ActivityRecord;
  /** The decisions about the call, oldest first, without the record itself. */
  readonly decisions: readonly ActivityRecord[];
  /** The next call of the same tool in the same session: after a blocked one, the agent's next attempt. */
  readonly next?: ActivityRecord;
  /** The change of a definition that the record is about. */
  readonly change?: DefinitionChange;
}

/** How many records of one request to read: a call has at most three decisions, a batch a few more. */
const MAX_OF_REQUEST = 100;
/**
 * How many calls to read to find the next one: they include calls of other clients, and of the same millisecond.
 */
const NEAR = 200;

/** Finds the records related to one: its call, the decisions about it, and the next attempt. */
export async function findRelated(
  reader: ActivityReader,
  record: ActivityRecord,
): Promise<RelatedRecords> {
  const others = await othersOf(reader, record);
  const call = isCall(record) ? record : others.find(isCall);
  const next = call === undefined ? undefined : await attemptAfter(reader, call);
  const change = await definitionChange(reader, record);
  return {
    ...(call === undefined || call === record ? {} : { call }),
    decisions: others.filter(({ type }) => type === "policy_decision"),
    ...(next === undefined ? {} : { next }),
    ...(change === undefined ? {} : { change }),
  };
}

/** Finds the call that a decision is about; undefined if it is about another message. */
export async function callOfDecision(
  reader: ActivityReader,
  decision: ActivityRecord,
): Promise<ActivityRecord | undefined> {
  return (await othersOf(reader, decision)).find(isCall);
}

/** Returns the other records of the same request, oldest first. */
async function othersOf(
  reader: ActivityReader,
  { id, request_id: request }: ActivityRecord,
): Promise<readonly ActivityRecord[]> {
  if (request === null) return [];
  const { activities } = await reader.list({ request, limit: MAX_OF_REQUEST, offset: 0 });
  return activities.toReversed().filter((one) => one.id !== id);
}

const isCall = ({ type }: ActivityRecord): boolean => type === "tool_call";

/** Finds the first call after this one, of the same tool and server in the same session. */
async function attemptAfter(
  reader: ActivityReader,
  { id, time, server, tool, session, client }: ActivityRecord,
): Promise<ActivityRecord | undefined> {
  // Without a session, only the client's name distinguishes its calls from others.
  if (server === null || tool === null || (session ?? client) === null) return undefined;
  const types = ["tool_call" as const];
  const of = session === null ? {} : { session };
  const scope = { types, server, tool, ...of, since: new Date(time) };
  // Pages begin with the newest record: the total shows the position of the oldest ones.
  const { total } = await reader.list({ ...scope, limit: 1, offset: 0 });
  const offset = Math.max(0, total - NEAR);
  const { activities } = await reader.list({ ...scope, limit: NEAR, offset });
  const isOwn = (one: ActivityRecord): boolean => one.session === session && one.client === client;
  return activities.toReversed().find((one) => one.id > id && isOwn(one));
}

/** The length of the time part of a ULID: shorter prefixes do not stay unique for long. */
const LEAST = 10;
const ULID_LENGTH = 26;

/**
 * Returns the shortest prefix of each id, of at least ten characters, that no other record of the store shares.
 * `activity show` accepts it.
 */
export async function shortIds(
  reader: ActivityReader,
  records: readonly ActivityRecord[],
): Promise<ReadonlyMap<string, string>> {
  const ids = records.map(({ id }) => id);
  return new Map(
    await Promise.all(ids.map(async (id) => [id, await shortId(reader, id)] as const)),
  );
}

async function shortId(reader: ActivityReader, id: string): Promise<string> {
  let length = LEAST;
  while (length < ULID_LENGTH) {
    const found = await reader.findByPrefix(id.slice(0, length), 2);
    const other = found.find((record) => record.id !== id);
    if (other === undefined) break;
    length = sharedLength(id, other.id) + 1;
  }
  return id.slice(0, length);
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
