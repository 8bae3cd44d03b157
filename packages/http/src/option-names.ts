import { editDistance } from "@touchstone/core/advanced";

/** Returns a name without its separators, so that `auth_hook`, `authHook` and `auth-hook` are equal. */
function bare(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** Longer names are not compared, because they are not misspelled options. */
const MAX_NAME = 64;
/** How many edits still count as a typing error. */
const MAX_EDITS = 2;

/**
 * Returns the first name in `given` that is a misspelled known one, with that one. Other unknown names are ignored:
 * they may be for something else.
 */
export function misspelledOption(
  given: object,
  known: ReadonlySet<string>,
): { readonly name: string; readonly meant: string } | undefined {
  for (const name of Object.keys(given)) {
    if (known.has(name) || name.length > MAX_NAME) continue;
    for (const meant of known) {
      if (editDistance(bare(name), bare(meant), MAX_EDITS) <= MAX_EDITS) return { name, meant };
    }
  }
  return undefined;
}
