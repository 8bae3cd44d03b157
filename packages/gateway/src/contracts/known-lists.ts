import { createHash } from "node:crypto";
import type { Issue } from "@touchstone/core";
import {
  type Frame,
  type FrameOptions,
  type FrameScan,
  frameOfScan,
  readFrameSteps,
} from "@touchstone/protocol/advanced";
import { BoundedMap } from "@touchstone/util";
import type { ToolContract } from "./contract.ts";

/** How many bytes to hash in one step. */
const HASHED_BYTES = 1_048_576;

/** Computes the SHA-256 of bytes, a part in each step. */
export function* sha256Steps(bytes: Uint8Array): Generator<void, string, void> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    yield;
  }
  return hash.digest("base64");
}

/** How many lists of one server to remember. */
const MAX_LISTS = 8;

/** A page of a list: its contracts, and what is wrong with single tools. */
export interface ReadPage {
  readonly tools: readonly ToolContract[];
  readonly faults: readonly Issue[];
  readonly cut: boolean;
  readonly repeated: ReadonlySet<string>;
}

/**
 * The newest tool lists of one server, over all sessions. A list that comes again in the same bytes is hashed, but
 * not read again: reading a list of 42 MB takes about 1 s of CPU per session.
 */
export class KnownToolLists {
  readonly #scans: BoundedMap<string, FrameScan> = new BoundedMap(MAX_LISTS);
  readonly #pages: BoundedMap<string, ReadPage> = new BoundedMap(MAX_LISTS);

  /**
   * Reads a response to `tools/list` in steps. If it differs from the previous response only in the id, both share a
   * scan, and so everything that is cached by scan.
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

  /** Returns the page with a key. */
  page(key: string): ReadPage | undefined {
    const page = this.#pages.get(key);
    if (page !== undefined) this.#pages.set(key, page);
    return page;
  }

  /** Keeps a page for other sessions; drops the least recently used one. */
  keep(key: string, page: ReadPage): void {
    this.#pages.set(key, page);
  }
}

/** A string that is valid whatever its content. */
const PLAIN = /^"[ !#-[\]-~]*"$/;

/**
 * Hashes a message. A string id counts only by its length, because the gateway's own ids are random.
 */
function* hashWithoutId({ bytes, id = "", ranges }: Frame): Generator<void, string, void> {
  const { start, end } = ranges.id ?? { start: 0, end: 0 };
  const isPlain = PLAIN.test(id);
  const head = yield* sha256Steps(bytes.subarray(0, start));
  const rest = yield* sha256Steps(bytes.subarray(end));
  return `${head} ${rest} ${isPlain ? end - start : id}`;
}
