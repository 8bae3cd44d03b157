/**
 * Makes the function's regular expression of a JSON Schema pattern (2020-12 Core, section 6.4):
 * Unicode mode, and where the pattern is none in Unicode mode, as in `\-`, the mode without.
 * @throws SyntaxError where it is a regular expression in neither.
 */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (unicode) {
    try {
      return new RegExp(source);
    } catch {
      throw unicode;
    }
  }
}
