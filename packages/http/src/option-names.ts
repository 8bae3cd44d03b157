import { editDistance } from "@touchstone/core";

/** Returns how a name reads however its words are set apart: `auth_hook`, `authHook` and `auth-hook`. */
function bare(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** How many edits make a slip, and not another name. */
const MAX_EDITS = 2;

/**
 * Returns the first name in `given` that is a slip of a known one, with that one. A name that is far from all of them is
 * let be: it may be for something else.
 */
export function misspelt(
  given: object,
  known: ReadonlySet<string>,
): { readonly name: string; readonly meant: string } | undefined {
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    for (const meant of known) {
      if (editDistance(bare(name), bare(meant), MAX_EDITS) <= MAX_EDITS) return { name, meant };
    }
  }
  return undefined;
}
