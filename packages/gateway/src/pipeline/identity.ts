import { joinPointer, parseJson } from "@touchstone/core";
import { type Frame, META_CLIENT_INFO } from "@touchstone/protocol";

/** Larger introductions are not read: nobody's name is that long. */
const MAX_BYTES = 65_536;
const IN_META = joinPointer("/params/_meta", META_CLIENT_INFO);
const IN_INITIALIZE = "/params/clientInfo";

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/**
 * How the client introduces itself, as `name/version`: in `initialize` up to 2025-11-25, in every
 * request's `_meta` from 2026-07-28 on.
 */
export function clientIdentity(frame: Frame): string | undefined {
  const range = frame.range(frame.method === "initialize" ? IN_INITIALIZE : IN_META);
  if (range === undefined || range.end - range.start > MAX_BYTES) return undefined;
  const parsed = parseJson(frame.bytes.subarray(range.start, range.end));
  if (!parsed.ok) return undefined;
  const name = member(parsed.value, "name");
  if (typeof name !== "string") return undefined;
  const version = member(parsed.value, "version");
  return typeof version === "string" ? `${name}/${version}` : name;
}
