import { canonicalJson } from "./canonical.ts";
import type { ActivityRecord } from "./record.ts";

type Unhashed = Omit<ActivityRecord, "hash" | "prev_hash">;

/**
 * The canonical JSON (RFC 8785) of a record without `hash`: the very text that {@link canonicalJson}
 * gives, which sorts the members first. Of records they are known, and so is their order.
 *
 * @throws TypeError as {@link canonicalJson} does
 */
export function canonicalRecord(record: Unhashed, previousHash: string): string {
  const { guard, issues, previous_schema_hash, redactions, result, truncated } = record;
  const given = record.arguments === undefined ? "" : `"arguments":${text(record.arguments)},`;
  const trip = guard === undefined ? "" : `"guard":${canonicalJson(guard)},`;
  const removed = redactions === undefined ? "" : `"redactions":${number(redactions)},`;
  const schema =
    previous_schema_hash === undefined
      ? ""
      : `"previous_schema_hash":${text(previous_schema_hash)},`;
  const left = truncated === undefined ? null : number(truncated);
  const got = result === undefined ? "" : `"result":${text(result)},`;
  const found = issues.length === 0 ? "[]" : canonicalJson(issues);
  // One expression: text that grows step by step is twice as many objects.
  return `{${given}"bytes_in":${number(record.bytes_in)},"bytes_out":${number(record.bytes_out)}${CLIENT(record.client, record.decision, record.direction)}${number(record.duration_ms)},${trip}"id":"${record.id}","issues":${found}${MODE(record.mode, record.outcome, null)}${previousHash}",${schema}"reason":${text(record.reason)},${removed}"request_id":${text(record.request_id)},${got}"schema_hash":${text(record.schema_hash)}${SERVER(record.server, record.session, record.source)}${word(record.status)},"time":"${record.time}"${TOOL(record.tool, record.type, left)}`;
}

const CLIENT = repeated(
  (client, decision, direction) =>
    `,"client":${text(client)},"decision":${word(decision)},"direction":${word(direction)},"duration_ms":`,
);
const MODE = repeated(
  (mode, outcome) => `,"mode":${word(mode)},"outcome":${word(outcome)},"prev_hash":"`,
);
const SERVER = repeated(
  (server, session, source) =>
    `,"server":${text(server)},"session":${text(session)},"source":${word(source)},"status":`,
);
const TOOL = repeated(
  (tool, type, truncated) =>
    `,"tool":${text(tool)},${truncated === null ? "" : `"truncated":${truncated},`}"type":${word(type)}}`,
);

type Value = string | null;

/** Text of values of which the next record mostly has the very same: it is kept until one differs. */
function repeated(
  write: (a: Value, b: Value, c: Value) => string,
): (a: Value, b: Value, c: Value) => string {
  let [first, second, third]: Value[] = [];
  let kept = "";
  return (a, b, c) => {
    if (a !== first || b !== second || c !== third) {
      kept = write(a, b, c);
      first = a;
      second = b;
      third = c;
      // Looking through it makes it one piece, once and not with every record.
      PLAIN.test(kept);
    }
    return kept;
  };
}

/** What JSON writes as it stands, between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(value: string | null): string {
  if (value === null) return "null";
  return PLAIN.test(value) ? `"${value}"` : canonicalJson(value);
}

/** One of the words that this project has for something, all of them plain. */
function word(value: string | null): string {
  return value === null ? "null" : `"${value}"`;
}

function number(value: number | null): string {
  if (value === null) return "null";
  // The shortest text that reads as the same number, as JSON has it.
  return Number.isFinite(value) && value !== 0 ? `${value}` : canonicalJson(value);
}
