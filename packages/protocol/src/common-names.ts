import { encodeUtf8 } from "@touchstone/core/advanced";
import { MESSAGE_TABLES } from "./messages/tables.ts";

interface KnownName {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const NAMES: ReadonlySet<string> = new Set([
  "2.0",
  ...MESSAGE_TABLES.flatMap(({ methods }) => Object.keys(methods)),
]);

/** Indexed by {@link keyOf}. */
const known: KnownName[][] = Array.from({ length: 1024 }, () => []);
for (const name of NAMES) {
  const bytes = encodeUtf8(name);
  const key = keyOf(bytes, 0, bytes.length);
  known[key]?.push({ name, bytes });
}

/** Returns a number below 1024 that distinguishes most names. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
  const last = bytes[end - 1] ?? 0;
  return ((end - start) * 37 + (bytes[start] ?? 0) * 5 + last) & 0x3ff;
}

/**
 * Returns the string in `[start, end)` without decoding it, if it is the version of JSON-RPC or the name of an MCP
 * method, as most are.
 */
export function commonName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  for (const { name, bytes: own } of known[keyOf(bytes, start, end)] ?? []) {
    if (own.length !== length) continue;
    let i = 0;
    while (i < length && bytes[start + i] === own[i]) i += 1;
    if (i === length) return name;
  }
  return undefined;
}
