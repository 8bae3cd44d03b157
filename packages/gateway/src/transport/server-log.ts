import { randomBytes } from "node:crypto";
import { redactNamedSecrets } from "@touchstone/records/plain";
import { beginningWithoutSecrets, REDACTED } from "@touchstone/util";

/** Most lines to keep of a server. */
export const MAX_LINES = 1_000;
/** Most characters to keep of a server, in UTF-16 code units. */
export const MAX_CHARACTERS = 262_144;
/** Most characters to show of a line. */
export const MAX_LINE = 4_096;
/** How many more characters of a line to keep until it is shown, so that a secret at the cut is found. */
const BEYOND = 512;
/** Shorter values, such as `1` or `info`, are not secrets, and occur in many texts. */
const MIN_SECRET = 6;
/** How many values to hide: those of the configuration in force, and of earlier ones. */
const MAX_SECRETS = 200;
/** Most lines of one private key: 16 KiB in lines of 64. */
const MAX_KEY_LINES = 256;
/** How many processes to remember; beyond this, the oldest is forgotten. */
const MAX_PROCESSES = 100;

/** The kind of a line: output of the server on stderr, or an event of the server. */
export type LineKind = "stderr" | "info" | "error";

interface Kept {
  readonly time: number;
  readonly kind: LineKind;
  readonly text: string;
  readonly pid: number | undefined;
  readonly isCut: boolean;
}

/** A line as people see it: without secrets and colors. It may still contain other control characters. */
export interface ShownLine {
  readonly time: Date;
  readonly kind: LineKind;
  readonly text: string;
  readonly pid: number | undefined;
  /** Whether the line was cut. */
  readonly isCut: boolean;
}

/** A part of a log. */
export interface LogPart {
  readonly lines: readonly ShownLine[];
  /** Where the next part begins. */
  readonly cursor: string;
  /** How many lines of this part were dropped, because newer ones needed their room. */
  readonly missed: number;
}

const BEGIN_OF_KEY = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/;
const IN_KEY = /^[\w+/=:, .-]*$/;

/**
 * Returns the values of a server's configured variables that are hidden in its output.
 */
export function secretValues(values: readonly string[]): readonly string[] {
  return values.filter((value) => value.length >= MIN_SECRET);
}

/** Returns a text without these secrets. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, REDACTED), text);
}

/**
 * The last lines of one server: its stderr, and when it started, ended and failed. Bounded by lines and characters;
 * the oldest are dropped. {@link add} does little work, because a server can write without end; secrets are removed
 * when lines are shown.
 */
export class ServerLog {
  /** Distinguishes this log from the log of another process. */
  readonly #id: string = randomBytes(6).toString("hex");
  readonly #now: () => number;
  /** A ring buffer: line n is at n modulo its length. */
  readonly #lines: (Kept | undefined)[] = new Array<Kept | undefined>(MAX_LINES);
  /** How many lines there were, and how many of them were dropped. */
  #end = 0;
  #start = 0;
  #characters = 0;
  /** How many more lines of a private key each process may write, by its id. */
  readonly #inKey: Map<number | undefined, number> = new Map();
  #secrets: readonly string[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Hides these values from now on, including in existing lines. */
  hide(secrets: readonly string[]): void {
    // Existing lines may contain earlier values.
    this.#secrets = [...new Set([...secrets, ...this.#secrets])].slice(0, MAX_SECRETS);
  }

  /** Adds a line of a process's stderr. */
  add(line: string, pid?: number): void {
    if (line.trim() === "") return;
    const isKey = this.#isOfKey(line, pid);
    this.#push("stderr", isKey ? REDACTED : line, pid);
  }

  /** Adds an event of the server. */
  note(kind: "info" | "error", text: string, pid?: number): void {
    this.#push(kind, text, pid);
  }

  /** Returns whether a line is in the middle of a private key, whose first line {@link redactNamedSecrets} finds. */
  #isOfKey(line: string, pid: number | undefined): boolean {
    const left = this.#inKey.get(pid) ?? 0;
    const goesOn = left > 0 && IN_KEY.test(line);
    if (goesOn && !line.includes("-----END")) this.#inKey.set(pid, left - 1);
    else if (left > 0) this.#inKey.delete(pid);
    if (
      line.includes("PRIVATE KEY-----") &&
      BEGIN_OF_KEY.test(line) &&
      !line.includes("-----END")
    ) {
      this.#inKey.delete(pid);
      this.#inKey.set(pid, MAX_KEY_LINES);
      for (const oldest of this.#inKey.keys()) {
        if (this.#inKey.size <= MAX_PROCESSES) break;
        this.#inKey.delete(oldest);
      }
      return false;
    }
    return goesOn;
  }

  #push(kind: LineKind, line: string, pid: number | undefined): void {
    const isCut = line.length > MAX_LINE;
    const text = line.length > MAX_LINE + BEYOND ? this.#beginning(line) : line;
    if (this.#end - this.#start === MAX_LINES) this.#drop();
    this.#lines[this.#end % MAX_LINES] = { time: this.#now(), kind, text, pid, isCut };
    this.#end += 1;
    this.#characters += text.length;
    while (this.#characters > MAX_CHARACTERS) this.#drop();
  }

  #drop(): void {
    const at = this.#start % MAX_LINES;
    this.#characters -= this.#lines[at]?.text.length ?? 0;
    this.#lines[at] = undefined;
    this.#start += 1;
  }

  /** Returns the beginning of a long line, without secrets that the rest would complete, as a separate text. */
  #beginning(line: string): string {
    const hidden = withoutValues(line, this.#secrets);
    const begun = beginningWithoutSecrets(hidden, MAX_LINE + BEYOND, () => REDACTED);
    // A slice would keep the whole line in memory.
    return Buffer.from(begun, "utf16le").toString("utf16le");
  }

  /**
   * Returns the lines after a cursor, in steps; without one, or with one of another process, all lines.
   * @param after `cursor` of an earlier part
   */
  *read(after?: string): Generator<void, LogPart> {
    const [id, position] = after?.split(".", 2) ?? [];
    const from = id === this.#id ? Math.min(Number(position), this.#end) : 0;
    const end = this.#end;
    const missed = Math.max(0, this.#start - from);
    // Lines that are added in the meantime may cause others to be dropped.
    const kept: Kept[] = [];
    for (let at = Math.max(from, this.#start); at < end; at += 1) {
      const line = this.#lines[at % MAX_LINES];
      if (line !== undefined) kept.push(line);
    }
    const lines: ShownLine[] = [];
    for (const { time, kind, text: raw, pid, isCut } of kept) {
      const clean = this.#clean(raw);
      const text = clean.slice(0, MAX_LINE).toWellFormed();
      lines.push({
        time: new Date(time),
        kind,
        text,
        pid,
        isCut: isCut || clean.length > MAX_LINE,
      });
      yield;
    }
    return { lines, cursor: `${this.#id}.${end}`, missed };
  }

  #clean(text: string): string {
    return redactNamedSecrets(withoutValues(withoutColors(text), this.#secrets)).text;
  }
}

/** Removes sequences of colors (ECMA-48, section 8.3.117, SELECT GRAPHIC RENDITION). */
function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with ESC
  return text.includes("\u001b") ? text.replace(/\u001b\[[\d;:]{0,64}m/g, "") : text;
}
