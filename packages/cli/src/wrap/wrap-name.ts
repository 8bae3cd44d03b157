/**
 * Returns whether `wrap --name` accepts a name: it must be visible in records, and must not contain U+0000, which a
 * command line cannot contain.
 */
export function isWrapName(name: string): boolean {
  return name.trim() !== "" && !name.includes("\0");
}
