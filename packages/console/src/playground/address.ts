import { isObject } from "@touchstone/core/advanced";
import { CLIENT_NAMES } from "@touchstone/protocol/lint";
import { UnusableTextError } from "./answer/tools.ts";
import { MAX_FIELD, type PlaygroundState, VIEWS } from "./question.ts";

/** Identifies the format, so that later formats can be told apart. */
const VERSION = "v1.";
/** Maximum number of characters of an address's fragment: some programs cut longer addresses. */
export const MAX_FRAGMENT = 32_768;
/** Maximum number of bytes after decompression: three fields in which each character may need six bytes. */
const MAX_UNPACKED = 3 * 6 * MAX_FIELD + 1_024;
/** Number of bytes that are decompressed at a time, so that a hostile fragment is detected early. */
const PIECE = 1_024;

/**
 * Returns what the user has entered as the fragment of an address: JSON, compressed with DEFLATE, in base64url.
 * @throws UnusableTextError if it is too long for an address
 */
export async function encodeState(state: PlaygroundState): Promise<string> {
  const packed = await pump(
    new TextEncoder().encode(JSON.stringify(state)),
    new CompressionStream("deflate-raw"),
    MAX_FRAGMENT,
  );
  const base64 = packed && btoa(String.fromCharCode(...packed));
  const fragment =
    base64 && VERSION + base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (fragment === undefined || fragment.length > MAX_FRAGMENT) {
    throw new UnusableTextError("What you entered is too long for a link");
  }
  return fragment;
}

/**
 * Returns what the user had entered, from an address.
 * @param fragment without the `#`
 * @throws UnusableTextError if it cannot be read
 */
export async function decodeState(fragment: string): Promise<PlaygroundState> {
  const state = fragment.length <= MAX_FRAGMENT ? await unpacked(fragment) : undefined;
  if (state === undefined) {
    throw new UnusableTextError("The link is damaged or from another version, so it was ignored");
  }
  return state;
}

async function unpacked(fragment: string): Promise<PlaygroundState | undefined> {
  if (!fragment.startsWith(VERSION)) return undefined;
  try {
    const base64 = fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/");
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bytes = await pump(packed, new DecompressionStream("deflate-raw"), MAX_UNPACKED);
    return bytes && stateOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Sends bytes through a stream, piece by piece. Returns undefined if the output is longer than `most` bytes. */
async function pump(
  bytes: Uint8Array<ArrayBuffer>,
  { readable, writable }: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | undefined> {
  let at = 0;
  const source = new ReadableStream<BufferSource>({
    pull(controller): void {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + PIECE));
      else controller.close();
      at += PIECE;
    },
  });
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = source.pipeThrough({ readable, writable }).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > most) {
      await reader.cancel();
      return undefined;
    }
    pieces.push(read.value);
  }
  const all = new Uint8Array(length);
  let place = 0;
  for (const piece of pieces) {
    all.set(piece, place);
    place += piece.length;
  }
  return all;
}

const isField = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_FIELD;

/** Returns a state if its members have the right types; otherwise undefined. */
function stateOf(value: unknown): PlaygroundState | undefined {
  if (!isObject(value)) return undefined;
  const { tools, args, next, tool } = value;
  const view = VIEWS.find((name) => name === value["view"]);
  const client = CLIENT_NAMES.find((name) => name === value["client"]);
  if (view === undefined || client === undefined) return undefined;
  if (!isField(tools) || !isField(args) || !isField(next)) return undefined;
  if (typeof tool !== "number" || !Number.isInteger(tool) || tool < 0) return undefined;
  return { view, tools, tool, args, client, next };
}
