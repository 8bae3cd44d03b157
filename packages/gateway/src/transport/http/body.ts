import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { BytePieces } from "@touchstone/util";
import { type ByteEnds, ByteEndsBuffer, END_BYTES } from "../stdio/lines.ts";
import type { ArrivingBody, BodyRefusedError, UnfinishedBodies } from "./unfinished-bodies.ts";

/** A body exceeded its limit. */
export class BodyTooLargeError extends Error {
  readonly limit: number;
  /** How many bytes had arrived when reading stopped. */
  readonly size: number;
  /** The part that had arrived. */
  readonly parts: Uint8Array[];
  constructor(limit: number, size: number, parts: Uint8Array[]) {
    super(`the body is larger than the limit of ${limit} bytes`);
    this.name = "BodyTooLargeError";
    this.limit = limit;
    this.size = size;
    this.parts = parts;
  }
}

/**
 * Reads a whole body. If that fails, leaves the stream open: destroying a request would close its connection before
 * the response can say why.
 * @param arriving counts the bytes of a request's body, and may end its reading
 * @throws BodyTooLargeError as soon as the body is larger than `limit` bytes
 * @throws BodyRefusedError if `arriving` ends the reading; the remaining bytes are then dropped
 */
export function readBody(
  stream: Readable,
  limit: number,
  arriving?: ArrivingBody,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces = new BytePieces();
    let over = false;
    const fail = (error: Error): void => {
      over = true;
      stream.off("data", take);
      reject(error);
    };
    const refuse = (error: BodyRefusedError): void => {
      pieces.clear();
      fail(error);
      stream.resume();
    };
    if (arriving !== undefined) arriving.onGivenUp = refuse;
    const close = (): void => {
      if (!over) fail(new Error("the connection was closed in the middle of the body"));
    };
    const end = (): void => {
      over = true;
      // The listeners are never removed, because the stream may be a response without an end.
      resolve(pieces.take());
    };
    const take = (chunk: Uint8Array): void => {
      const refused = arriving?.take(chunk.length);
      if (refused !== undefined) {
        refuse(refused);
        return;
      }
      pieces.push(chunk);
      if (pieces.size <= limit) return;
      stream.pause();
      fail(new BodyTooLargeError(limit, pieces.size, pieces.parts));
    };
    if (stream.errored) reject(stream.errored);
    else if (stream.readableEnded) resolve(new Uint8Array(0));
    else if (stream.destroyed) close();
    // An iterator over the stream costs several times as much as the bytes themselves.
    else stream.on("data", take).on("end", end).on("error", fail).on("close", close);
  });
}

/**
 * Reads the body of a request of at most `limit` bytes, and counts it as unfinished until it has arrived completely.
 * @throws BodyTooLargeError as soon as the body is larger
 * @throws BodyRefusedError if there is no room for it, or it does not arrive in time
 */
export async function readCountedBody(
  request: IncomingMessage,
  limit: number,
  bodies: UnfinishedBodies,
): Promise<Uint8Array> {
  const arriving = bodies.begin(request, limit);
  try {
    return await readBody(request, limit, arriving);
  } finally {
    arriving.end();
  }
}

/**
 * Reads the whole body of a request, as {@link readCountedBody} does. If the body is over the limit, keeps its ends
 * and its outline, which contain its ids. Reads to the end, so that the client can read the response.
 * @throws BodyRefusedError if there is no room for it, or it does not arrive in time
 * @throws Error if the client disconnects before the end
 */
export async function readRequest(
  request: IncomingMessage,
  limit: number,
  bodies: UnfinishedBodies,
): Promise<Uint8Array | ByteEnds> {
  const arriving = bodies.begin(request, limit);
  try {
    return await readBody(request, limit, arriving);
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    const keeper = new ByteEndsBuffer(END_BYTES, true);
    for (const part of error.parts.splice(0)) keeper.push(part);
    await readOver(request, (part) => keeper.push(part), arriving);
    return keeper.take();
  } finally {
    arriving.end();
  }
}

function readOver(
  stream: Readable,
  keep: (part: Uint8Array) => void,
  arriving: ArrivingBody,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = (): void =>
      reject(new Error("the connection was closed in the middle of the body"));
    const take = (part: Uint8Array): void => {
      arriving.take(part.length);
      keep(part);
    };
    arriving.onGivenUp = reject;
    if (stream.destroyed) cut();
    else
      stream
        .on("data", take)
        .once("end", resolve)
        .once("error", reject)
        .once("close", cut)
        .resume();
  });
}

/** No honest server applies more codings than this. */
const MAX_CODINGS = 3;

type Decoder = () => Transform;

/** Decoders by content coding (RFC 9110, section 8.4.1; RFC 8878). Some versions of Node lack zstd. */
function decoders(): ReadonlyMap<string, Decoder> {
  const flush = zlib.constants.Z_SYNC_FLUSH;
  const gzip: Decoder = () => zlib.createGunzip({ flush });
  const known = new Map<string, Decoder>([
    ["gzip", gzip],
    ["x-gzip", gzip],
    ["deflate", () => zlib.createInflate({ flush })],
    ["br", () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ]);
  const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: Decoder };
  if (createZstdDecompress !== undefined) known.set("zstd", () => createZstdDecompress());
  return known;
}
const DECODERS: ReadonlyMap<string, Decoder> = decoders();

/** The supported codings, for messages to people. */
export const CONTENT_CODINGS: readonly string[] = [...DECODERS.keys()];

/**
 * Returns a body without its content codings. The result is a stream, so a reader with a limit is safe from a small
 * body that decodes to a large one. Destroying it destroys the source.
 * @param header the value of `Content-Encoding`
 * @returns the body itself if it has no coding; undefined if a coding is unknown
 */
export function decodedBody(body: Readable, header: string | undefined): Readable | undefined {
  const codings = (header ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return body;
  if (codings.length > MAX_CODINGS) return undefined;
  const found = codings.reverse().map((coding) => DECODERS.get(coding));
  const steps = found.flatMap((decoder) => (decoder === undefined ? [] : [decoder()]));
  const last = steps.at(-1);
  if (last === undefined || steps.length < codings.length) {
    for (const step of steps) step.destroy();
    return undefined;
  }
  // `pipeline` destroys the last stream with any error, so its reader gets it.
  pipeline([body, ...steps], () => {});
  return last;
}

const UTF_8: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

/**
 * Returns the `charset` of a media type if it is anything but UTF-8, the encoding of JSON and event streams. Readers
 * differ in how they read repeated parameters and parameters inside quotes, so every one counts.
 */
export function unsupportedCharset(contentType: string | string[] | undefined): string | undefined {
  // Most media types name none, and every message in both directions calls this.
  if (contentType === undefined || !/charset/i.test(String(contentType))) return undefined;
  const found = [contentType]
    .flat()
    .flatMap((type) => [...type.matchAll(/charset[\s*\d]*=\s*"?([^";\s]*)/gi)]);
  return found.map(([, name = ""]) => name.toLowerCase()).find((name) => !UTF_8.has(name));
}

/**
 * Returns why the bytes of a request's body cannot be checked: a server that respects `charset=utf-7`, for example,
 * would decode them to other characters. Undefined if they can be checked.
 */
export function unsupportedBodyReason(headers: IncomingHttpHeaders): string | undefined {
  const charset = unsupportedCharset(headers["content-type"]);
  if (charset !== undefined) return `the body must be in UTF-8, not in the charset "${charset}"`;
  const { "content-encoding": coding } = headers;
  if (coding === undefined || coding.trim().toLowerCase() === "identity") return undefined;
  return `the body must not be encoded; it has the content encoding "${coding}"`;
}
