/** Joins byte arrays; a single one is returned as it is. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array(0);
  if (parts.length === 1) return first;
  return Buffer.concat(parts);
}

const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/** Returns a JSON-RPC batch of these messages. */
export function joinBatch(items: readonly Uint8Array[]): Uint8Array {
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [COMMA, item]));
  return concatBytes([OPEN, ...parts, CLOSE]);
}
