/** Replaces a secret. */
export const REDACTED = "[redacted]";

/** The fewest characters that are hidden: a shorter text would occur by chance. */
const LEAST = 6;
/** How many texts to remember; the oldest are dropped first. */
const MAX_TEXTS = 1_000;
/**
 * How many comparisons one search may make, plus one for every eight characters. It needs a limit because hundreds of
 * 1,000 texts may begin alike.
 */
const COMPARISONS = 100_000;

/** Values of this process that are secrets, in each way in which a text may contain them. */
const known: Set<string> = new Set();
/** Whether any secret is known. Callers read it before each name of a record, which costs less than a call. */
export let hasKnownSecrets = false;
/** Made when it is needed. */
let index: Index | undefined;

/**
 * Remembers a value that {@link withoutKnownSecrets} hides from now on, as it is, as JSON writes it inside a string, and as
 * URLs encode it.
 */
export function rememberSecret(value: string): void {
  if (value.length < LEAST) return;
  for (const text of new Set([value, JSON.stringify(value).slice(1, -1), inUrl(value)])) {
    known.delete(text);
    known.add(text);
  }
  for (const oldest of known) {
    if (known.size <= MAX_TEXTS) break;
    known.delete(oldest);
  }
  index = undefined;
  hasKnownSecrets = true;
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // The value has a lone surrogate, which no URL contains.
    return value;
  }
}

/** Returns the remembered texts, longest first: the same array until another one is remembered. A thread has its own. */
export function knownSecrets(): readonly string[] {
  index ??= indexed(known);
  return index.texts;
}

/**
 * Returns a text without the remembered secrets: from the left, the longest one first. Those with fewer than 6
 * characters stay. Reads each character once, however many secrets there are. A search makes at most 100,000
 * comparisons plus one for every eight characters. If these are used up, as in a text that consists of beginnings of
 * secrets, the rest of the text is replaced as one secret.
 */
export function withoutKnownSecrets(text: string, replace: () => string): string {
  if (!hasKnownSecrets || text.length < LEAST) return text;
  index ??= indexed(known);
  const { heads, byHead } = index;
  const out: string[] = [];
  let kept = 0;
  let left = COMPARISONS + (text.length >>> 3);
  let hash = hashAt(text, 0);
  for (let at = 0; at + LEAST <= text.length; at += 1) {
    if (((heads[hash >>> 19] ?? 0) & (1 << ((hash >>> 16) & 7))) !== 0) {
      let found: string | undefined;
      for (const secret of byHead.get(hash) ?? []) {
        left -= 1 + (secret.length >>> 8);
        if (left < 0 || text.startsWith(secret, at)) {
          found = secret;
          break;
        }
      }
      if (found !== undefined) {
        out.push(text.slice(kept, at), replace());
        kept = left < 0 ? text.length : at + found.length;
        if (kept + LEAST > text.length) break;
        hash = hashAt(text, kept);
        at = kept - 1;
        continue;
      }
    }
    hash =
      Math.imul(hash - Math.imul(text.charCodeAt(at), FIRST), BASE) + text.charCodeAt(at + LEAST);
    hash |= 0;
  }
  return kept === 0 ? text : out.join("") + text.slice(kept);
}

/** The longest secret that a secrets file may contain, in UTF-16 code units. */
const LONGEST = 65_536;

/**
 * Returns the first `max` UTF-16 code units of a text without the remembered secrets. Reads at most 256 Ki code units
 * more than that.
 */
export function beginningWithoutSecrets(text: string, max: number, replace: () => string): string {
  if (!hasKnownSecrets) return text.slice(0, max);
  const most = max + 4 * LONGEST;
  if (text.length <= most) return withoutKnownSecrets(text, replace).slice(0, max);
  // The end may be the beginning of a secret.
  return withoutKnownSecrets(text.slice(0, most), replace)
    .slice(0, -2 * LONGEST)
    .slice(0, max);
}

/** The remembered texts, by the hash of their first {@link LEAST} characters. */
interface Index {
  readonly texts: readonly string[];
  /**
   * A bit set of the upper bits of all hashes: it rules out nearly all places of a text without a lookup in the map.
   */
  readonly heads: Uint8Array;
  /** Longest first. */
  readonly byHead: ReadonlyMap<number, readonly string[]>;
}

function indexed(all: Iterable<string>): Index {
  const texts = [...all].toSorted((a, b) => b.length - a.length);
  const heads = new Uint8Array(8_192);
  const byHead = new Map<number, string[]>();
  for (const text of texts) {
    const hash = hashAt(text, 0);
    heads[hash >>> 19] = (heads[hash >>> 19] ?? 0) | (1 << ((hash >>> 16) & 7));
    const alike = byHead.get(hash);
    if (alike === undefined) byHead.set(hash, [text]);
    else alike.push(text);
  }
  return { texts, heads, byHead };
}

/** The base of a rolling polynomial hash (Karp and Rabin, 1987), modulo 2^32. */
const BASE = 0x01000193;
/** The factor of the character that leaves the window: BASE to the power of LEAST - 1. */
const FIRST: number = Array.from({ length: LEAST - 1 }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + LEAST; next += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(next)) | 0;
  }
  return hash;
}
