/**
 * Returns whether `wrap --name` accepts a name: it must be visible in records, and a command line cannot contain
 * U+0000.
 */
export function isWrapName(name: string): boolean {
  return name.trim() !== "" && !name.includes("\0");
}
