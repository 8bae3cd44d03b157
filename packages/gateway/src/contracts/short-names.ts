import { createHash } from "node:crypto";
import type { NameSettings } from "./name-settings.ts";

/** A name that every client and model provider accepts (see `providers/` in the lint rules). */
const TAKEN = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** RFC 4648, section 6, in lower case. */
const BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
/** Characters of a hash: 50 bits, so that two names of one server do not collide by accident. */
const HASH_LENGTH = 10;
/** Returns the most characters of a name. */
function roomOf({ max, prefixLength }: NameSettings): number {
  return max - prefixLength;
}

/** Returns whether clients accept a name unchanged. */
function isTaken(name: string, settings: NameSettings): boolean {
  return name.length <= roomOf(settings) && TAKEN.test(name);
}

/** Returns whether a name may come from {@link shortName}. */
export function mayBeShortName(name: string): boolean {
  return /_[a-z2-7]{10}$|_[a-z2-7]{20}$/.test(name);
}

/**
 * Returns a name that clients accept and that is unique to this name: the part that fits, and a hash of the whole.
 * The same name always gets the same short name, whatever else a server lists.
 * @param isLong whether to use a hash of twice the length, in case the shorter one is another tool's name
 * @param whole the {@link nameHash} of the name, if it is known
 */
export function shortName(
  name: string,
  settings: NameSettings,
  isLong = false,
  whole: string = nameHash(name),
): string {
  const hash = isLong ? whole : whole.slice(0, HASH_LENGTH);
  const fits = name
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, roomOf(settings) - hash.length - 1);
  return `${fits}_${hash}`;
}

/** Returns the longer hash of a name, which begins with the shorter one. A name may have thousands of characters. */
export function nameHash(name: string): string {
  const digest = createHash("sha256").update(name, "utf8").digest();
  let text = "";
  let [bits, held] = [0, 0];
  for (const byte of digest) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE_32[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
    if (text.length >= 2 * HASH_LENGTH) break;
  }
  return text.slice(0, 2 * HASH_LENGTH);
}

/** The names of a server's tools that clients see, and the tools' own names. */
export interface ListedNames {
  /** Returns the name that clients see, by the tool's own name; undefined if no unused name could be found for it. */
  readonly listed: (own: string) => string | undefined;
  /**
   * Tools whose names depend on the rest of the list: none, unless a server has names that look like short ones.
   */
  readonly collisions: readonly string[];
  /** Returns the own name of the tool that a client means; undefined if no listed tool has this name. */
  readonly own: (name: string) => string | undefined;
}

/**
 * Returns the names of the tools of one list, a name in each step: thousands of long names take long. They depend only
 * on the set of own names: not on their order, on the gateway, or on earlier lists. No two tools share a name. A tool's
 * own name always means this tool, even if clients see another name.
 * @param hashOf returns the {@link nameHash} of one of the names
 */
export function* listedNamesSteps(
  names: Iterable<string>,
  settings: NameSettings,
  hashOf: (name: string) => string = nameHash,
): Generator<void, ListedNames, void> {
  const all = new Set<string>();
  for (const own of names) {
    all.add(own);
    yield;
  }
  const wanted = new Map<string, string[]>();
  const listed = new Map<string, string | undefined>();
  const byListed = new Map<string, string>();
  const collisions: string[] = [];
  for (const own of all) {
    if (isTaken(own, settings)) continue;
    yield;
    const short = shortName(own, settings, false, hashOf(own));
    wanted.set(short, [...(wanted.get(short) ?? []), own]);
  }
  for (const [short, owns] of wanted) {
    const isFree = owns.length === 1 && !all.has(short);
    if (!isFree) collisions.push(...owns);
    for (const own of owns) {
      yield;
      const name = isFree ? short : shortName(own, settings, true, hashOf(own));
      // Only a server that tries to cause collisions has one.
      const isSingle = !all.has(name) && !byListed.has(name);
      listed.set(own, isSingle ? name : undefined);
      if (isSingle) byListed.set(name, own);
    }
  }
  return {
    collisions,
    listed: (own) => (listed.has(own) ? listed.get(own) : own),
    own: (name) => (all.has(name) ? name : byListed.get(name)),
  };
}
