/** Joins byte arrays; a single one is returned as it is. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array(0);
  if (parts.length === 1) return first;
  return Buffer.concat(parts);
}
