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
  const { guard, issues, redactions, result } = record;
  const given = record.arguments === undefined ? "" : `"arguments":${text(record.arguments)},`;
  const trip = guard === undefined ? "" : `"guard":${canonicalJson(guard)},`;
  const removed = redactions === undefined ? "" : `"redactions":${number(redactions)},`;
  const got = result === undefined ? "" : `"result":${text(result)},`;
  const found = issues.length === 0 ? "[]" : canonicalJson(issues);
  // One expression: text that grows step by step is twice as many objects.
  return `{${given}"bytes_in":${number(record.bytes_in)},"bytes_out":${number(record.bytes_out)},"client":${text(record.client)},"decision":${word(record.decision)},"direction":${word(record.direction)},"duration_ms":${number(record.duration_ms)},${trip}"id":"${record.id}","issues":${found},"mode":${word(record.mode)},"outcome":${word(record.outcome)},"prev_hash":"${previousHash}","reason":${text(record.reason)},${removed}"request_id":${text(record.request_id)},${got}"schema_hash":${text(record.schema_hash)},"server":${text(record.server)},"session":${text(record.session)},"source":"${record.source}","status":${word(record.status)},"time":"${record.time}","tool":${text(record.tool)},"type":"${record.type}"}`;
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
