import { ActivityError } from "../errors.ts";
import type { FilterInput } from "../filter.ts";

/**
 * The parameters of a query string by name.
 *
 * @throws ActivityError `BAD_FILTER` for a name that is given twice: which one holds would be a guess
 */
export function queryOf(url: URL): FilterInput {
  const input = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (input.has(name)) {
      const shown = JSON.stringify(name.slice(0, 64));
      throw new ActivityError("BAD_FILTER", `${shown} is given twice; give it once`, {
        field: name,
      });
    }
    input.set(name, value);
  }
  return Object.fromEntries(input);
}
