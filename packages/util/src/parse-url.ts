/**
 * Parses a URL as the URL Standard does, relative to a base if there is one. Takes the place of `URL.canParse`: in Node.js
 * 20 and 22 that reads a Latin-1 text as UTF-8 once V8 has optimized its caller, and refuses `https://bücher.example` from
 * then on.
 *
 * @returns undefined if the text is not a URL
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
