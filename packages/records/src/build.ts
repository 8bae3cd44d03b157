import type { Issue } from "@touchstone/core";
import { beginningWithoutSecrets, hasKnownSecrets, REDACTED, redactText } from "@touchstone/util";
import { isDigests } from "./approval-digest.ts";
import { type BodyText, bodyText, bodyTextSteps } from "./bodies/body.ts";
import {
  boundBytes,
  boundIssues,
  boundName,
  boundText,
  MAX_NAME_LENGTH,
  MAX_REASON_LENGTH,
} from "./bounds.ts";
import type { UnsealedRecord } from "./chain.ts";
import type { Field } from "./fields.ts";
import { type ActivityEntry, BODY_FIELDS, RECORD_FIELDS } from "./record.ts";
import { newSalt } from "./salt.ts";

/** What records keep of arguments and results. */
export interface BodySettings {
  /** How many bytes of UTF-8 of each body to keep. */
  readonly maxBytes: number;
  /**
   * Whether to keep `arguments` alone, and only if they are JSON. Entries only have arguments if the call failed a
   * check.
   */
  readonly ofFailed?: boolean;
}

/**
 * Builds a record from an entry: absent fields become `null`, and everything that a server, client or tool may name
 * is cut to its bound. Issues that were dropped to stay inside the bound are counted in `truncated`, with those that
 * the entry left out. Secrets in `reason` and in the issues, and those of the configuration in names, are removed and counted
 * in `redactions`.
 *
 * @param id the record's ULID
 * @param time when it was recorded
 * @param bodies absent if arguments and results are not kept
 * @param texts the texts of bodies, by their bytes, if they were made ahead; default: made here
 */
export function buildRecord(
  entry: ActivityEntry,
  id: string,
  time: Date,
  bodies?: BodySettings,
  texts?: BodyTexts,
): UnsealedRecord {
  const bounded = entry.issues === undefined ? NO_ISSUES : boundIssues(entry.issues);
  const truncated = (count(entry.truncated) ?? 0) + bounded.dropped;
  const secrets = { count: 0 };
  const issues = bounded.issues.map((issue) => withoutSecrets(issue, secrets));
  // In the order of hashing, including those that the chain sets.
  const record: Mutable<UnsealedRecord> & { hash: undefined; prev_hash: string } = {
    bytes_in: count(entry.bytes_in),
    bytes_out: count(entry.bytes_out),
    client: givenName(entry.client, secrets),
    decision: entry.decision ?? null,
    direction: entry.direction ?? null,
    duration_ms: finite(entry.duration_ms),
    hash: undefined,
    id,
    issues,
    mode: entry.mode ?? null,
    outcome: entry.outcome ?? null,
    prev_hash: "",
    reason: entry.reason === undefined ? null : prose(entry.reason, secrets),
    request_id: givenName(entry.request_id, secrets),
    schema_hash: name(entry.schema_hash),
    server: name(entry.server),
    session: name(entry.session),
    source: entry.source,
    status: entry.status ?? null,
    time: isoTime(time),
    tool: givenName(entry.tool, secrets),
    type: entry.type,
  };
  const { guard } = entry;
  if (guard !== undefined) {
    const { limit, actual } = guard;
    record.guard = { guard: guard.guard, limit: finite(limit) ?? 0, actual: finite(actual) ?? 0 };
  }
  let keepsBodies = false;
  const body = (field: string, bytes: Uint8Array): string | undefined => {
    if (bodies === undefined || !isKept(field, bodies)) return undefined;
    const { text, redactions, isJson } = texts?.get(bytes) ?? bodyText(bytes, bodies.maxBytes);
    if (bodies.ofFailed && !isJson) return undefined;
    keepsBodies = true;
    secrets.count += redactions;
    return text;
  };
  const use = { body, secrets };
  // Iterates over the entry, because an entry has few of these fields.
  for (const field in entry) {
    const value = entry[field as keyof ActivityEntry];
    const kept = value === undefined ? undefined : OPTIONAL_FIELDS.get(field)?.(value, use);
    if (kept === undefined || kept === null) continue;
    (record as unknown as Record<string, unknown>)[field] = kept;
  }
  if (entry.caller !== undefined || keepsBodies) record.salt = newSalt();
  if (secrets.count > 0 || keepsBodies) record.redactions = secrets.count;
  if (truncated > 0) record.truncated = truncated;
  return record;
}

const NO_ISSUES: ReturnType<typeof boundIssues> = { issues: [], dropped: 0 };

/** Returns whether records keep a field with a body. */
function isKept(field: string, { ofFailed = false }: BodySettings): boolean {
  return !ofFailed || field === "arguments";
}

/** The texts of bodies for records, by their bytes. */
export type BodyTexts = ReadonlyMap<Uint8Array, BodyText>;

/** Makes the texts of an entry's bodies in steps. */
export function* bodyTextsOf(
  entry: ActivityEntry,
  bodies: BodySettings,
): Generator<void, BodyTexts, void> {
  const texts = new Map<Uint8Array, BodyText>();
  for (const field of BODY_FIELDS) {
    const bytes = entry[field];
    if (!(bytes instanceof Uint8Array) || !isKept(field, bodies)) continue;
    texts.set(bytes, yield* bodyTextSteps(bytes, bodies.maxBytes));
  }
  return texts;
}

/** Returns the number of bytes of an entry's bodies. */
export function bodyBytesOf(entry: ActivityEntry): number {
  let bytes = 0;
  for (const field of BODY_FIELDS) {
    const body = entry[field];
    if (body instanceof Uint8Array) bytes += body.length;
  }
  return bytes;
}

const READ_ABOVE: ReadonlySet<string> = new Set(["guard", "truncated"]);

/** Returns a field's value from an entry; undefined if the field is not kept. */
type ReadField = (
  value: unknown,
  use: {
    readonly body: (field: string, bytes: Uint8Array) => string | undefined;
    readonly secrets: { count: number };
  },
) => string | number | boolean | null | undefined;

/** Fields that are copied as declared, and absent if unset. All other fields are read by the code above. */
const OPTIONAL_FIELDS: ReadonlyMap<string, ReadField> = new Map(
  RECORD_FIELDS.flatMap(([field, declared]) =>
    declared.unset !== undefined || declared.from === "log" || READ_ABOVE.has(field)
      ? []
      : [[field, readerOf(field, declared)] as const],
  ),
);

function readerOf(field: string, { schema, from, maxBytes }: Field): ReadField {
  if (from === "body") {
    return (value, { body }) => (value instanceof Uint8Array ? body(field, value) : undefined);
  }
  switch (schema.type) {
    case "string":
      if (from === "digests") {
        return (value) => (typeof value === "string" && isDigests(value) ? value : undefined);
      }
      if (schema.enum !== undefined) return (value) => schema.enum?.find((one) => one === value);
      return (value, { secrets }) => {
        if (typeof value !== "string") return undefined;
        return from === "prose" ? prose(value, secrets, maxBytes) : givenName(value, secrets);
      };
    case "integer":
      return (value) => (typeof value === "number" ? count(value) : undefined);
    case "number":
      return (value) => (typeof value === "number" ? finite(value) : undefined);
    case "boolean":
      return (value) => (typeof value === "boolean" ? value : undefined);
    default:
      throw new TypeError(`a field of type ${schema.type} needs code of its own here`);
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function prose(text: string, secrets: { count: number }, maxBytes?: number): string {
  if (maxBytes === undefined) return boundText(clean(text, secrets), MAX_REASON_LENGTH);
  return boundBytes(clean(text, secrets, 2 * maxBytes), maxBytes);
}

/** @param most how many UTF-16 code units to read: removed text leaves room for the text after it */
function clean(text: string, secrets: { count: number }, most = 2 * MAX_REASON_LENGTH): string {
  const { text: kept, redactions } = redactText(text.slice(0, most));
  secrets.count += redactions;
  return kept;
}

function withoutSecrets(issue: Issue, secrets: { count: number }): Issue {
  const text = JSON.stringify(issue);
  const { text: kept, redactions } = redactText(text);
  if (redactions === 0) return issue;
  secrets.count += redactions;
  // Redacted text contains no quote, bracket or backslash, except in private keys and card numbers.
  const cleaned = (part: string): string => clean(part, { count: 0 });
  return (
    parsed(kept) ?? {
      path: cleaned(issue.path),
      message: cleaned(issue.message),
      rule: issue.rule,
    }
  );
}

function parsed(text: string): Issue | undefined {
  try {
    return JSON.parse(text) as Issue;
  } catch {
    return undefined;
  }
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : boundName(text);
}

/** Returns a name that a client or a server sent, without secrets of this process. */
function givenName(text: string, secrets: { count: number }): string;
function givenName(text: string | undefined, secrets: { count: number }): string | null;
function givenName(text: string | undefined, secrets: { count: number }): string | null {
  if (text === undefined) return null;
  if (!hasKnownSecrets) return boundName(text);
  const replace = (): string => {
    secrets.count += 1;
    return REDACTED;
  };
  return boundName(beginningWithoutSecrets(text, MAX_NAME_LENGTH + 1, replace));
}

/** `+ 0` turns a negative zero, which JSON cannot represent, into zero. */
function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value + 0;
}

function count(value: number | undefined): number | null {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

let second = Number.NaN;
let upToSecond = "";

/**
 * Returns the text of `toISOString`, cached for a second, because each record has a time.
 *
 * @throws RangeError for an invalid date
 */
export function isoTime(time: Date): string {
  const milliseconds = time.getTime();
  const whole = Math.floor(milliseconds / 1000);
  if (whole !== second) {
    upToSecond = time.toISOString().slice(0, -"000Z".length);
    second = whole;
  }
  return `${upToSecond}${String(milliseconds - whole * 1000).padStart(3, "0")}Z`;
}
