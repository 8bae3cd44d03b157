import { encodeUtf8 } from "@touchstone/core";
import { MESSAGE_TABLES } from "./messages/tables.ts";

interface KnownName {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const NAMES: ReadonlySet<string> = new Set([
  "2.0",
  ...MESSAGE_TABLES.flatMap(({ methods }) => Object.keys(methods)),
]);

/** By their length. */
const known: KnownName[][] = [];
for (const name of NAMES) {
  const bytes = encodeUtf8(name);
  known[bytes.length] ??= [];
  known[bytes.length]?.push({ name, bytes });
}

/**
 * The string in `[start, end)` where it is the version of JSON-RPC or the name of a method of MCP,
 * which most are: without decoding it.
 */
export function knownName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  for (const candidate of known[length] ?? []) {
    let i = 0;
    while (i < length && bytes[start + i] === candidate.bytes[i]) i += 1;
    if (i === length) return candidate.name;
  }
  return undefined;
}
