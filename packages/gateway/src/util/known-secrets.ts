/** The fewest characters that are hidden: a shorter text would occur by chance. */
const LEAST = 6;
/** How many texts to remember; the oldest are dropped first. */
const MAX_TEXTS = 1_000;

/** Values of this process that are secrets, in each way in which a text may contain them. */
const known: Set<string> = new Set();
/** The same, longest first: a secret may be a part of a longer one. Made when it is needed. */
let longestFirst: readonly string[] = [];

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
  longestFirst = [...known].toSorted((a, b) => b.length - a.length);
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a character, which no URL contains.
    return value;
  }
}

/** Returns the remembered texts, longest first: the same array until another one is remembered. A thread has its own. */
export function knownSecrets(): readonly string[] {
  return longestFirst;
}

/** Returns a text without the remembered secrets. Those with fewer than 6 characters stay. */
export function withoutKnownSecrets(text: string, replace: () => string): string {
  let kept = text;
  for (const secret of longestFirst) {
    if (secret.length <= kept.length && kept.includes(secret)) {
      kept = kept.replaceAll(secret, replace);
    }
  }
  return kept;
}
