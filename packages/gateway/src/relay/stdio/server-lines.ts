import { runSteps } from "@touchstone/core/advanced";
import { type CutMessage, type Frame, OpenBrackets } from "@touchstone/protocol/advanced";
import { BytePieces, threadSlice } from "@touchstone/util";
import { readBrokenFrameSteps } from "../../pipeline/broken-steps.ts";
import { type LineFault, protocolFault } from "../../pipeline/faults.ts";
import { type LinePart, splitLineSteps } from "../../transport/stdio/split-line.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BLANK = new Uint8Array([SPACE]);
const LINE_OF_ITS_OWN = "a message must be on a line of its own";
/** A line that contains only the beginning of a message printed over many lines. */
const OPENING = /^\s*[{[]\s*$/;
const OPENING_BYTES = 64;
/** How a line of such a message begins. */
const CONTINUATION = /^\s*(?:["{}[\]\d-]|true|false|null)/;
/** How many bytes of a line to follow in one step. */
const STEP_BYTES = 131_072;
/** A line of this size or more that is not one message is read in steps, while later lines wait. */
const LONG_BYTES = 65_536;

type Steps = Generator<void, void, void>;

export interface ServerLinesParts {
  readonly read: (bytes: Uint8Array) => Frame;
  /** @param line what is wrong with the line that the frame was on */
  readonly take: (frame: Frame, line?: LineFault) => void;
  readonly oversize: (cut: CutMessage) => void;
  /**
   * Called for a line that is read in steps: the server must not send much more meanwhile.
   * @param released resolves when it has been read
   */
  readonly held: (bytes: number, released: Promise<void>) => void;
  /** Longest message to join from many lines, in bytes. */
  readonly maxBytes: number;
}

/**
 * Reads the lines of a server's stdout, each usually a message. Splits a line that contains more than one message,
 * and joins a message printed over many lines, so that every request gets its response, or an error. What was wrong
 * with the line goes with the message: the pipeline blocks it if messages are checked in strict.
 */
export class ServerLines {
  readonly #parts: ServerLinesParts;
  #spread: Spread | undefined;
  /** What waits for a line that is being read in steps. */
  readonly #waiting: (() => Steps)[] = [];
  /** Resolves when nothing waits; undefined if nothing does. */
  #reading: Promise<void> | undefined;

  constructor(parts: ServerLinesParts) {
    this.#parts = parts;
  }

  /** Takes a line, without its line feed. */
  line(bytes: Uint8Array): void {
    if (this.#reading !== undefined || this.#spread !== undefined || opensSpread(bytes)) {
      this.#later(() => this.#line(bytes), bytes.length);
      return;
    }
    const frame = this.#parts.read(bytes);
    // As most are.
    if (isOneText(frame)) this.#parts.take(frame);
    else this.#later(() => this.#single(frame), bytes.length);
  }

  /** Takes the kept part of a line that was too long: whole messages at its beginning are read. */
  oversize(cut: CutMessage): void {
    this.#later(() => this.#oversize(cut), cut.head.length);
  }

  /** Reports the part so far, because no more lines come. */
  end(): void {
    this.#later(() => this.#end(), 0);
  }

  /** Resolves when everything so far has been taken. */
  async settled(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
  }

  /** Runs steps after those that wait; all of them at once if nothing waits and they are about little. */
  #later(steps: () => Steps, bytes: number): void {
    if (this.#reading === undefined && bytes < LONG_BYTES) {
      runSteps(steps());
      return;
    }
    this.#waiting.push(steps);
    this.#reading ??= this.#readAll();
    this.#parts.held(bytes, this.#reading);
  }

  async #readAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await threadSlice.take(next());
    }
    this.#reading = undefined;
  }

  *#line(bytes: Uint8Array): Steps {
    if (this.#spread !== undefined && (yield* this.#continues(this.#spread, bytes))) return;
    if (!opensSpread(bytes)) {
      yield* this.#single(this.#parts.read(bytes));
      return;
    }
    this.#spread = new Spread(bytes);
    yield* this.#spread.follow(bytes);
  }

  *#oversize(cut: CutMessage): Steps {
    yield* this.#end();
    const { head } = cut;
    const parts = isOneText(this.#parts.read(head)) ? [] : yield* splitLineSteps(head);
    const last = parts.at(-1);
    const cutOff = last?.kind === "lost" && isEndOf(last.bytes, head) ? last : undefined;
    yield* this.#each(cutOff ? parts.slice(0, -1) : parts, true);
    this.#parts.oversize(cutOff ? { ...cut, head: cutOff.bytes } : cut);
  }

  *#end(): Steps {
    const spread = this.#spread;
    this.#spread = undefined;
    if (spread !== undefined) yield* this.#take(this.#parts.read(spread.bytes()));
  }

  *#single(frame: Frame): Steps {
    const parts = isOneText(frame) ? [] : yield* splitLineSteps(frame.bytes);
    if (parts.length === 0) yield* this.#take(frame);
    else
      yield* this.#each(
        parts,
        parts.some(({ kind }) => kind !== "message"),
      );
  }

  /** @param amongText whether the line has more than messages */
  *#each(parts: readonly LinePart[], amongText: boolean): Steps {
    const { read } = this.#parts;
    const shared = amongText
      ? `the message shares its line with other text; ${LINE_OF_ITS_OWN}`
      : `${parts.length} messages share a line; ${LINE_OF_ITS_OWN}`;
    const isBroken = parts.some(({ kind }) => kind === "lost");
    const mixed = protocolFault(
      "",
      `messages and other text are mixed on a line; ${LINE_OF_ITS_OWN}`,
    );
    for (const { kind, bytes } of parts) {
      if (kind === "message") {
        yield* this.#take(read(bytes), { issue: protocolFault("", shared), amongText });
      } else if (kind === "lost") {
        yield* this.#take(read(bytes), { issue: mixed, amongText, lost: true });
      }
      // Text beside a broken message may be a part of it, and is not shown.
      else if (!isBroken) yield* this.#take(read(bytes));
    }
  }

  /** Passes on a frame. What its readers look for in a text that is not JSON is found before, in steps. */
  *#take(frame: Frame, line?: LineFault): Steps {
    yield* readBrokenFrameSteps(frame);
    this.#parts.take(frame, line);
    yield;
  }

  /**
   * Takes the next line of a message that has begun. Returns false if it is not one; the message is then given up.
   */
  *#continues(spread: Spread, bytes: Uint8Array): Generator<void, boolean, void> {
    const { read, take, maxBytes } = this.#parts;
    const fits =
      spread.size + bytes.length + 1 <= maxBytes &&
      CONTINUATION.test(latin1(bytes, OPENING_BYTES)) &&
      !isMessage(read(bytes));
    const open = fits ? yield* spread.follow(bytes) : undefined;
    if (open === undefined) {
      yield* this.#end();
      return false;
    }
    spread.add(bytes);
    if (open) return true;
    this.#spread = undefined;
    const frame = read(spread.bytes());
    const told = `the message is on ${spread.lines} lines; a message must be on one line`;
    const issue = protocolFault("", told);
    if (frame.kind === "invalid") yield* this.#take(frame);
    else take(frame, { issue, amongText: false });
    return true;
  }
}

/** The part so far of a message that is printed over many lines. */
class Spread {
  lines = 1;
  readonly #pieces: BytePieces = new BytePieces();
  readonly #brackets = new OpenBrackets();

  constructor(line: Uint8Array) {
    this.#pieces.push(line);
  }

  /** Its size with a byte between two lines. */
  get size(): number {
    return this.#pieces.size;
  }

  add(line: Uint8Array): void {
    this.#pieces.push(BLANK);
    this.#pieces.push(line);
    this.lines += 1;
  }

  /** Returns the message on one line: in JSON, line feeds are between tokens only. */
  bytes(): Uint8Array {
    return this.#pieces.take();
  }

  /** Returns whether brackets are open after a line. Undefined if they do not match, or if more follows them. */
  *follow(line: Uint8Array): Generator<void, boolean | undefined, void> {
    const brackets = this.#brackets;
    let ended = false;
    let quoted = false;
    for (let at = 0, pause = STEP_BYTES; at < line.length; at += 1) {
      if (at > pause) {
        pause = at + STEP_BYTES;
        yield;
      }
      const byte = line[at] as number;
      if (quoted) {
        if (byte === BACKSLASH) at += 1;
        else if (byte === QUOTE) quoted = false;
        continue;
      }
      if (byte <= SPACE) continue;
      if (ended) return undefined;
      if (byte === QUOTE) quoted = true;
      else if (!brackets.take(byte)) return undefined;
      ended = brackets.depth === 0;
    }
    return quoted ? undefined : !ended;
  }
}

/** Returns whether a line has nothing but the beginning of a message. */
function opensSpread(bytes: Uint8Array): boolean {
  return bytes.length <= OPENING_BYTES && OPENING.test(latin1(bytes, OPENING_BYTES));
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
