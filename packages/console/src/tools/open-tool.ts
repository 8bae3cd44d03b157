/**
 * Returns the name of the tool that an address means: `SERVER/TOOL`, as people write links, also means the listed name
 * `SERVER:TOOL`. Returns any other name unchanged.
 * @param listed the names of the tools; undefined until they are loaded
 */
export function openTool(
  open: string | undefined,
  listed: readonly string[] | undefined,
): string | undefined {
  if (open === undefined || listed === undefined || listed.includes(open)) return open;
  const named = open.replace("/", ":");
  return listed.includes(named) ? named : open;
}
