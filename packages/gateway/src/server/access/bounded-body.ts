/** Reads the body of a response as a whole; returns undefined, and ends the transfer, if it has more bytes than that. */
export async function boundedBody(
  { body }: Response,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
