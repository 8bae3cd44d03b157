/** Patterns that are remembered at most: the matcher of one may take some hundred kilobytes. */
const MAX_REMEMBERED = 1000;

/**
 * Remembers what was made of each of the first 1000 patterns for as long as what is given lives. For a check by
 * more patterns than are kept for all schemas together: asked for in turn, each would be dropped before it
 * is asked for again.
 */
export function rememberPatterns<T>(make: (source: string) => T): (source: string) => T {
  const known = new Map<string, T>();
  return (source) => {
    const before = known.get(source);
    if (before !== undefined) return before;
    const made = make(source);
    if (known.size < MAX_REMEMBERED) known.set(source, made);
    return made;
  };
}
