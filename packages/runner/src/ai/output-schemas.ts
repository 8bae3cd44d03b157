import { quote } from "@touchstone/core/advanced";

/** How many names a message lists. */
const MAX_NAMES = 20;

/**
 * Rejects a schema under a name that no tool has, as it would check nothing.
 * @throws TypeError that names it and the existing tools
 */
export function requireTools(
  outputSchemas: Readonly<Record<string, unknown>> | undefined,
  tools: object,
): void {
  const other = Object.entries(outputSchemas ?? {}).find(
    ([name, schema]) => schema !== undefined && !Object.hasOwn(tools, name),
  );
  if (other === undefined) return;
  const names = Object.keys(tools);
  const shown = names.slice(0, MAX_NAMES).map((name) => quote(name));
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  const has = names.length === 0 ? "it is empty" : `it has ${shown.join(", ")}${more}`;
  throw new TypeError(
    `the option "outputSchemas" has a schema for ${quote(other[0])}, but the set has no such tool; ${has}`,
  );
}
