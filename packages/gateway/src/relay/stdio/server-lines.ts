import { skipQuoted } from "@touchstone/core";
import { type CutMessage, type Frame, OpenBrackets } from "@touchstone/protocol";
import { type LineFault, protocolFault } from "../../pipeline/faults.ts";
import { type LinePart, splitLine } from "../../transport/stdio/split-line.ts";
import { concatBytes } from "../../util/concat-bytes.ts";

const QUOTE = 0x22;
const SPACE = 0x20;
const BLANK = new Uint8Array([SPACE]);
const LINE_OF_ITS_OWN = "a message must be on a line of its own";
/** A line that contains only the beginning of a message printed over many lines. */
const OPENING = /^\s*[{[]\s*$/;
const OPENING_BYTES = 64;
/** How a line of such a message begins. */
const CONTINUATION = /^\s*(?:["{}[\]\d-]|true|false|null)/;

export interface ServerLinesParts {
  readonly read: (bytes: Uint8Array) => Frame;
  /** @param line what is wrong with the line that the frame was on */
  readonly take: (frame: Frame, line?: LineFault) => void;
  readonly oversize: (cut: CutMessage) => void;
  /** Longest message to join from many lines, in bytes. */
  readonly maxBytes: number;
}

/** The part so far of a message that is printed over many lines. */
interface Spread {
  readonly lines: Uint8Array[];
  readonly brackets: OpenBrackets;
  size: number;
}

/**
 * Reads the lines of a server's stdout, each usually a message. Splits a line that contains more than one message,
 * and joins a message printed over many lines, so that every request gets its response, or an error. What was wrong
 * with the line goes with the message: the pipeline blocks it if messages are checked in strict.
 */
export class ServerLines {
  readonly #parts: ServerLinesParts;
  #spread: Spread | undefined;

  constructor(parts: ServerLinesParts) {
    this.#parts = parts;
  }

  /** Takes a line, without its line feed. */
  line(bytes: Uint8Array): void {
    if (this.#spread !== undefined && this.#continues(this.#spread, bytes)) return;
    if (bytes.length <= OPENING_BYTES && OPENING.test(latin1(bytes, OPENING_BYTES))) {
      const brackets = new OpenBrackets();
      this.#spread = { lines: [bytes], brackets, size: bytes.length };
      follow(brackets, bytes);
      return;
    }
    this.#single(bytes);
  }

  /** Takes the kept part of a line that was too long: whole messages at its beginning are read. */
  oversize(cut: CutMessage): void {
    this.end();
    const { head } = cut;
    const parts = isOneText(this.#parts.read(head)) ? [] : splitLine(head);
    const last = parts.at(-1);
    const cutOff = last?.kind === "lost" && isEndOf(last.bytes, head) ? last : undefined;
    this.#each(cutOff ? parts.slice(0, -1) : parts, true);
    this.#parts.oversize(cutOff ? { ...cut, head: cutOff.bytes } : cut);
  }

  /** Reports the part so far, because no more lines come. */
  end(): void {
    const spread = this.#spread;
    this.#spread = undefined;
    if (spread === undefined) return;
    this.#parts.take(this.#parts.read(joined(spread)));
  }

  #single(bytes: Uint8Array): void {
    const frame = this.#parts.read(bytes);
    const parts = isOneText(frame) ? [] : splitLine(bytes);
    if (parts.length === 0) this.#parts.take(frame);
    else
      this.#each(
        parts,
        parts.some(({ kind }) => kind !== "message"),
      );
  }

  /** @param amongText whether the line has more than messages */
  #each(parts: readonly LinePart[], amongText: boolean): void {
    const { read, take } = this.#parts;
    const shared = amongText
      ? `the message shares its line with other text; ${LINE_OF_ITS_OWN}`
      : `${parts.length} messages share a line; ${LINE_OF_ITS_OWN}`;
    const isBroken = parts.some(({ kind }) => kind === "lost");
    const mixed = protocolFault(
      "",
      `messages and other text are mixed on a line; ${LINE_OF_ITS_OWN}`,
    );
    for (const { kind, bytes } of parts) {
      if (kind === "message") take(read(bytes), { issue: protocolFault("", shared), amongText });
      else if (kind === "lost") take(read(bytes), { issue: mixed, amongText, lost: true });
      // Text beside a broken message may be a part of it, and is not shown.
      else if (!isBroken) take(read(bytes));
    }
  }

  /**
   * Takes the next line of a message that has begun. Returns false if it is not one; the message is then given up.
   */
  #continues(spread: Spread, bytes: Uint8Array): boolean {
    const { read, take, maxBytes } = this.#parts;
    spread.size += bytes.length + 1;
    const fits =
      spread.size <= maxBytes &&
      CONTINUATION.test(latin1(bytes, OPENING_BYTES)) &&
      !isMessage(read(bytes));
    const open = fits ? follow(spread.brackets, bytes) : undefined;
    if (open === undefined) {
      this.end();
      return false;
    }
    spread.lines.push(bytes);
    if (open) return true;
    this.#spread = undefined;
    const frame = read(joined(spread));
    const told = `the message is on ${spread.lines.length} lines; a message must be on one line`;
    const issue = protocolFault("", told);
    if (frame.kind === "invalid") take(frame);
    else take(frame, { issue, amongText: false });
    return true;
  }
}

/** Returns whether brackets are open after a line. Undefined if they do not match, or if more follows them. */
function follow(brackets: OpenBrackets, line: Uint8Array): boolean | undefined {
  let ended = false;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at] as number;
    if (byte <= SPACE) continue;
    if (ended) return undefined;
    if (byte === QUOTE) {
      at = skipQuoted(line, at) - 1;
      if (at < 0) return undefined;
    } else if (!brackets.take(byte)) return undefined;
    ended = brackets.depth === 0;
  }
  return !ended;
}

/** Codes of limits. */
const LIMITS: ReadonlySet<string> = new Set(["keys", "depth", "size"]);

/** Returns whether a line is one JSON text, read to its end or to a limit: a limit does not make it several. */
function isOneText({ scan: { error } }: Frame): boolean {
  return error === undefined || LIMITS.has(error.code);
}

function isMessage({ kind, scan }: Frame): boolean {
  return scan.error === undefined && kind !== "invalid" && scan.members.has("/jsonrpc");
}

/** Returns the message on one line: in JSON, line feeds are between tokens only. */
function joined({ lines }: Spread): Uint8Array {
  return concatBytes(lines.flatMap((line, i) => (i === 0 ? [line] : [BLANK, line])));
}

function latin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, length)).toString(
    "latin1",
  );
}

function isEndOf(part: Uint8Array, whole: Uint8Array): boolean {
  return (
    part.buffer === whole.buffer &&
    part.byteOffset + part.length === whole.byteOffset + whole.length
  );
}
