import type { IncomingMessage, ServerResponse } from "node:http";

/** Longest path that is shown, in UTF-16 code units. */
const MAX_PATH = 200;

interface Range {
  readonly type: string;
  readonly quality: number;
}

function rangesOf(accept: string): readonly Range[] {
  return accept.split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  });
}

/** The quality of the most specific of some media ranges that a client names. */
function qualityOf(ranges: readonly Range[], wanted: readonly (readonly string[])[]): number {
  for (const types of wanted) {
    const found = ranges.filter(({ type }) => types.includes(type));
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality));
  }
  return 0;
}

const TEXT = [["text/html", "text/plain"], ["text/*"]];
const JSON_TYPES = [["application/json"], ["application/*"], ["*/*"]];

/**
 * Returns whether a client prefers text or HTML to JSON, as browsers do (RFC 9110, section 12.5.1). False for one
 * that takes anything.
 */
export function prefersText({ headers: { accept = "" } }: IncomingMessage): boolean {
  const ranges = rangesOf(accept);
  return qualityOf(ranges, TEXT) > qualityOf(ranges, JSON_TYPES);
}

/** Paths that are served, and what is there. */
export type ServedPaths = readonly (readonly [what: string, path: string])[];

/**
 * Sends a person 404 and a text that lists the paths that are served.
 * @param reason one line
 */
export function sendPathList(response: ServerResponse, reason: string, served: ServedPaths): void {
  const width = Math.max(0, ...served.map(([what]) => what.length));
  const lines = served.map(([what, path]) => `${what.padEnd(width)}  ${path}`);
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  response.writeHead(404, headers).end(`${[reason, "", ...lines].join("\n")}\n`);
}

/** A path for {@link sendPathList}'s reason. */
export function shownPath(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}
