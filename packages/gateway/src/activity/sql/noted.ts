/** Lists of MCP, in which a fault of one item is noted in every mode, and blocks nothing. */
const IN_ITEM = /^\/result\/(?:tools|prompts|resources|resourceTemplates|roots|tasks)\/\d+(?:\/|$)/;

/**
 * Whether strict would let a message with these faults pass: each stands inside of a list's item.
 * @param issues the JSON text of a record's issues
 */
export function isOnlyNoted(issues: string): boolean {
  let read: unknown;
  try {
    read = JSON.parse(issues);
  } catch {
    return false;
  }
  const paths = Array.isArray(read)
    ? read.map((issue: { path?: unknown } | null) => issue?.path)
    : [];
  return paths.length > 0 && paths.every((path) => typeof path === "string" && IN_ITEM.test(path));
}
