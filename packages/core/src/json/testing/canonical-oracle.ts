import { isLossyNumber, normaliseNumber } from "../number.ts";

/** Matches the tokens of a JSON text, except white space, commas and colons. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}]|[\w.+-]+/g;

type Part = readonly [name: string, text: string];

/** Does what `canonicalText` does, for a text that is JSON, in the plain way: all at once, by recursion. */
export function canonicalOracle(source: string): string {
  const tokens = source.match(TOKEN) ?? [];
  let at = 0;
  const read = (): string => {
    const token = tokens[at] as string;
    at += 1;
    if (token !== "{" && token !== "[") return scalar(token);
    const isObject = token === "{";
    const parts: Part[] = [];
    while (tokens[at] !== "}" && tokens[at] !== "]") {
      const name = isObject ? (JSON.parse(tokens[at] as string) as string) : "";
      if (isObject) at += 1;
      parts.push([name, read()]);
    }
    at += 1;
    if (!isObject) return `[${parts.map(([, text]) => text).join(",")}]`;
    const sorted = parts.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
  };
  return read();
}

function scalar(token: string): string {
  if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
  if (/^[a-z]/.test(token)) return token;
  if (!isLossyNumber(token)) return JSON.stringify(Number(token));
  const { negative, digits, exponent } = normaliseNumber(token);
  return Number.isSafeInteger(exponent) ? `${negative ? "-" : ""}${digits}e${exponent}` : token;
}
