/** Returns whether `wrap --name` takes a name: it has to show in records, and no command line holds U+0000. */
export function isWrapName(name: string): boolean {
  return name.trim() !== "" && !name.includes("\0");
}
