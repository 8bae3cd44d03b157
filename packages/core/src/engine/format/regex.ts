import { parsePattern } from "../pattern/parse.ts";

/** Letters that mean something after a backslash (ECMA-262, section 22.2.1). */
const ESCAPES: ReadonlySet<string> = new Set("bBcdDfknpPrsStuvwWx");

/** Whether a backslash stands before a letter for no reason, as in the `\Z` of other languages. */
function hasForeignEscape(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    const next = text.charAt(at + 1);
    if (/[a-z]/i.test(next) && !ESCAPES.has(next)) return true;
  }
  return false;
}

/**
 * A regular expression that `pattern` takes, within the same limits: of ECMA-262, section 22.2.1,
 * in Unicode mode or, as patterns are often written, with the needless escapes (`\-`) of the mode
 * without. Needless escapes of letters are refused here.
 */
export function isRegex(text: string): boolean {
  try {
    parsePattern(text);
    return !hasForeignEscape(text);
  } catch {
    return false;
  }
}
