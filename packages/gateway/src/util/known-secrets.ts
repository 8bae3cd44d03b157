/** The fewest characters that are hidden: a shorter text would occur by chance. */
const LEAST = 6;
/** How many secrets to remember; the oldest are dropped first. */
const MAX_SECRETS = 1_000;

/** Values that were read from files of secrets, in this process. */
const known: Set<string> = new Set();

/** Remembers a value that {@link withoutKnownSecrets} hides from now on. */
export function rememberSecret(value: string): void {
  if (value.length < LEAST) return;
  known.delete(value);
  known.add(value);
  for (const oldest of known) {
    if (known.size <= MAX_SECRETS) break;
    known.delete(oldest);
  }
}

/** Returns a text without the remembered secrets. Those with fewer than 6 characters stay. */
export function withoutKnownSecrets(text: string, replace: () => string): string {
  if (known.size === 0 || text.length < LEAST) return text;
  let kept = text;
  // A secret may be a part of a longer one.
  for (const secret of [...known].toSorted((a, b) => b.length - a.length)) {
    if (kept.includes(secret)) kept = kept.replaceAll(secret, replace);
  }
  return kept;
}
