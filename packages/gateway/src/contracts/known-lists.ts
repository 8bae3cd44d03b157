import { createHash } from "node:crypto";
import type { Issue } from "@touchstone/core";
import {
  type Frame,
  type FrameOptions,
  type FrameScan,
  frameOfScan,
  readFrameSteps,
} from "@touchstone/protocol";
import { BoundedMap } from "../util/bounded-map.ts";
import type { ToolContract } from "./contract.ts";

/** How many bytes are hashed in one step. */
const HASHED_BYTES = 1_048_576;

/** Returns the SHA-256 of bytes, made a part in each step. */
export function* hashSteps(bytes: Uint8Array): Generator<void, string, void> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    yield;
  }
  return hash.digest("base64");
}

/** How many lists of one server are remembered. */
const MAX_LISTS = 8;

/** A page of a list that was read: its contracts, and what is wrong with single tools in it. */
export interface ReadPage {
  readonly tools: readonly ToolContract[];
  readonly faults: readonly Issue[];
  readonly cut: boolean;
  readonly repeated: ReadonlySet<string>;
}

/**
 * What was read of the newest tool lists of one server, in whatever session. A list that comes again in the same bytes
 * is hashed, and not read again: a list of 42 MB costs each session about 1 s of CPU otherwise.
 */
export class KnownLists {
  readonly #scans: BoundedMap<string, FrameScan> = new BoundedMap(MAX_LISTS);
  readonly #pages: BoundedMap<string, ReadPage> = new BoundedMap(MAX_LISTS);

  /**
   * Reads a response to `tools/list` in steps. Its scan is the one of the response before it if nothing but the id
   * differs, so that what is known by the scan is known of it as well.
   */
  *read(response: Frame, options: FrameOptions): Generator<void, Frame, void> {
    const { bytes } = response;
    const key = `${yield* hashWithoutId(response)} ${JSON.stringify(options)}`;
    const known = this.#scans.get(key);
    const frame =
      known === undefined ? yield* readFrameSteps(bytes, options) : frameOfScan(bytes, known);
    if (frame.scan.error === undefined) this.#scans.set(key, frame.scan);
    return frame;
  }

  /** Returns a page that was kept under a key. */
  page(key: string): ReadPage | undefined {
    const page = this.#pages.get(key);
    if (page !== undefined) this.#pages.set(key, page);
    return page;
  }

  /** Keeps a page for other sessions; the one that was not used for longest is forgotten. */
  keep(key: string, page: ReadPage): void {
    this.#pages.set(key, page);
  }
}

/** A string that is valid whatever is in it. */
const PLAIN = /^"[ !#-[\]-~]*"$/;

/** Hashes a message. Of an id that is a string only the length counts, since the gateway's own ids are random. */
function* hashWithoutId({ bytes, id = "", ranges }: Frame): Generator<void, string, void> {
  const { start, end } = ranges.id ?? { start: 0, end: 0 };
  const isPlain = PLAIN.test(id);
  const head = yield* hashSteps(bytes.subarray(0, start));
  const rest = yield* hashSteps(bytes.subarray(end));
  return `${head} ${rest} ${isPlain ? end - start : id}`;
}
