import type { ActivityRecord } from "../record.ts";
import { isUsual, kindOf, textsOf } from "./kind-text.ts";
import { type KnownRecord, type RecordKind, SESSION_START } from "./known-record.ts";
import { digits, fractionEnd, has, integerEnd, isDigit, thousandths } from "./record-text.ts";

/** Most kinds that are known at a time, and most that may become one. */
const MAX_KINDS = 256;
/** Most records that are passed over between two that are learnt from. */
const MOST_PASSED = 32;
/** Longer ones are not compared with every record. */
const MAX_KIND_LENGTH = 4096;
const ID_LENGTH = 26;
const TIME_LENGTH = 24;
const HASH_LENGTH = 64;

const SESSION = `"${SESSION_START}`;
const START = '{"bytes_in":';
const BETWEEN = ',"bytes_out":';
const BEFORE_ID = ',"id":"';
const END = '"}';
const OWN =
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z[!#-[\]-~]{1,26}[0-9a-f]{64}$/;
const HASH = /^[0-9a-f]{64}$/;

/** Text that stands between two values of a record's own, and what may follow. */
interface Branch {
  readonly text: string;
  readonly next: Branch[];
  kind?: RecordKind;
}

/**
 * Recognises records by their text. Of a record, all but some ten values stands in the same characters
 * in a thousand others: to compare these takes a fraction of the time that parsing takes, and all that is
 * to be done for them is done once.
 */
export class RecordKinds {
  #root: Branch[] = [];
  #known = 0;
  #seen = new Set<string>();
  #end = 0;
  #lastHash = "";
  #lastSession = "";
  /** How many records in a row were learnt in vain, and how many were passed over since the last. */
  #misses = 0;
  #passed = 0;

  /** Where the record ends that was recognised last. */
  get end(): number {
    return this.#end;
  }

  /**
   * The record that begins at a place in a text, where it is one of a known kind: the very values that
   * `JSON.parse` would give.
   */
  match(text: string, from: number): KnownRecord | undefined {
    if (!has(text, from, START)) return undefined;
    let at = from + START.length;
    const inEnd = integerEnd(text, at);
    if (inEnd < 0 || !has(text, inEnd, BETWEEN)) return undefined;
    const bytesIn = digits(text, at, inEnd);
    at = inEnd + BETWEEN.length;
    const outEnd = integerEnd(text, at);
    const caller = outEnd < 0 ? undefined : follow(this.#root, text, outEnd);
    if (caller === undefined) return undefined;
    const bytesOut = digits(text, at, outEnd);
    at = outEnd + caller.text.length;
    const whole = integerEnd(text, at);
    if (whole < 0) return undefined;
    const durationEnd = isDigit(text, at) ? fractionEnd(text, whole) : whole;
    const duration = thousandths(text, at, whole, durationEnd);
    if (!has(text, durationEnd, BEFORE_ID)) return undefined;
    at = durationEnd + BEFORE_ID.length;
    const id = text.slice(at, at + ID_LENGTH);
    at += ID_LENGTH;
    const found = follow(caller.next, text, at);
    if (found === undefined) return undefined;
    at += found.text.length;
    const prevHash = text.slice(at, at + HASH_LENGTH);
    at += HASH_LENGTH;
    const reason = follow(found.next, text, at);
    if (reason === undefined) return undefined;
    at += reason.text.length;
    const requestEnd = text.indexOf('"', at);
    const request = text.slice(at, requestEnd);
    at = requestEnd;
    const server = follow(reason.next, text, at);
    if (server === undefined) return undefined;
    at += server.text.length;
    const session = sessionAt(text, at);
    if (session === undefined) return undefined;
    at += session === "" ? "null".length : session.length + SESSION.length + 1;
    const source = follow(server.next, text, at);
    if (source === undefined) return undefined;
    at += source.text.length;
    const time = text.slice(at, at + TIME_LENGTH);
    at += TIME_LENGTH;
    const tool = follow(source.next, text, at);
    if (tool?.kind === undefined) return undefined;
    at += tool.text.length;
    const hash = text.slice(at, at + HASH_LENGTH);
    at += HASH_LENGTH;
    if (!has(text, at, END) || !OWN.test(id + time + request + hash)) return undefined;
    if (prevHash !== this.#lastHash && !HASH.test(prevHash)) return undefined;
    if (session !== "" && session !== this.#lastSession && !HASH.test(session)) return undefined;
    this.#lastHash = hash;
    this.#lastSession = session;
    this.#end = at + END.length;
    const { kind } = tool;
    return { kind, id, time, request, session, prevHash, hash, bytesIn, bytesOut, duration };
  }

  /**
   * Takes note of a record of no known kind. With the second one of a kind, that is known; where records
   * are of ever new kinds, as those whose reasons are all different, most of them are passed over.
   *
   * @returns false for one that cannot be of a known kind
   */
  learn(record: ActivityRecord): boolean {
    if (!isUsual(record)) return false;
    if (this.#passed < Math.min(this.#misses - MAX_KINDS, MOST_PASSED)) {
      this.#passed += 1;
      return true;
    }
    this.#passed = 0;
    this.#misses += 1;
    const kind = kindOf(record);
    const texts = kind === undefined ? [] : textsOf(kind);
    const name = texts.join("");
    if (kind === undefined || name.length > MAX_KIND_LENGTH) return true;
    if (this.#seen.delete(name)) {
      this.#misses = 0;
      this.#add(kind, texts);
      return true;
    }
    if (this.#seen.size === MAX_KINDS) this.#seen.clear();
    this.#seen.add(name);
    return true;
  }

  #add(kind: RecordKind, texts: readonly string[]): void {
    if (this.#known === MAX_KINDS) {
      this.#root = [];
      this.#known = 0;
    }
    let next = this.#root;
    let branch: Branch | undefined;
    for (const text of texts) {
      branch = next.find((one) => one.text === text);
      if (branch === undefined) {
        branch = { text, next: [] };
        next.push(branch);
      }
      next = branch.next;
    }
    if (branch === undefined || branch.kind !== undefined) return;
    branch.kind = kind;
    this.#known += 1;
  }
}

function follow(branches: readonly Branch[], text: string, at: number): Branch | undefined {
  for (const branch of branches) if (has(text, at, branch.text)) return branch;
  return undefined;
}

/** The digest of a session; empty for `null`, `undefined` for anything else. What is in it is not looked at. */
function sessionAt(text: string, at: number): string | undefined {
  if (has(text, at, "null")) return "";
  const from = at + SESSION.length;
  const end = from + HASH_LENGTH;
  return has(text, at, SESSION) && has(text, end, '"') ? text.slice(from, end) : undefined;
}
