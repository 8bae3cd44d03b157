/** Joins byte arrays; a single one is returned as it is. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array(0);
  if (parts.length === 1) return first;
  return Buffer.concat(parts);
}

/** How many bytes one step copies. */
const STEP_BYTES = 1_048_576;

/** Runs {@link concatBytes} in steps: a copy of many megabytes takes long. */
export function* concatSteps(parts: readonly Uint8Array[]): Generator<void, Uint8Array, void> {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (parts.length < 2 || size <= STEP_BYTES) return concatBytes(parts);
  const joined = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += STEP_BYTES) {
      const piece = part.subarray(from, from + STEP_BYTES);
      joined.set(piece, at);
      at += piece.length;
      yield;
    }
  }
  return joined;
}

const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/** Returns a JSON-RPC batch of these messages. */
export function joinBatch(items: readonly Uint8Array[]): Uint8Array {
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [COMMA, item]));
  return concatBytes([OPEN, ...parts, CLOSE]);
}
