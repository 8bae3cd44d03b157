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
  let json = "{";
  if (record.arguments !== undefined) json += `"arguments":${text(record.arguments)},`;
  json += `"bytes_in":${number(record.bytes_in)},`;
  json += `"bytes_out":${number(record.bytes_out)},`;
  json += `"client":${text(record.client)},`;
  json += `"decision":${text(record.decision)},`;
  json += `"direction":${text(record.direction)},`;
  json += `"duration_ms":${number(record.duration_ms)},`;
  if (guard !== undefined) json += `"guard":${canonicalJson(guard)},`;
  json += `"id":${text(record.id)},`;
  json += issues.length === 0 ? '"issues":[],' : `"issues":${canonicalJson(issues)},`;
  json += `"mode":${text(record.mode)},`;
  json += `"outcome":${text(record.outcome)},`;
  json += `"prev_hash":${text(previousHash)},`;
  json += `"reason":${text(record.reason)},`;
  if (redactions !== undefined) json += `"redactions":${number(redactions)},`;
  json += `"request_id":${text(record.request_id)},`;
  if (result !== undefined) json += `"result":${text(result)},`;
  json += `"schema_hash":${text(record.schema_hash)},`;
  json += `"server":${text(record.server)},`;
  json += `"session":${text(record.session)},`;
  json += `"source":${text(record.source)},`;
  json += `"status":${text(record.status)},`;
  json += `"time":${text(record.time)},`;
  json += `"tool":${text(record.tool)},`;
  return `${json}"type":${text(record.type)}}`;
}

/** What JSON writes as it stands, between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(value: string | null): string {
  if (value === null) return "null";
  return PLAIN.test(value) ? `"${value}"` : canonicalJson(value);
}

function number(value: number | null): string {
  if (value === null) return "null";
  // The shortest text that reads as the same number, as JSON has it.
  return Number.isFinite(value) && value !== 0 ? `${value}` : canonicalJson(value);
}
