import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectFiles, ROOT } from "./files.ts";

/** Pages with a table of what users see, and the minimum number of our messages that each quotes. */
const PAGES = [
  ["docs/guides/troubleshooting.md", 12],
  ["docs/guides/client-errors.md", 8],
] as const;
/** Messages of shells, browsers, Node and the MCP SDKs. */
const FOREIGN = new Set([
  "touchstone: command not found",
  "spawn npx ENOENT",
  "No 'Access-Control-Allow-Origin' header",
  "Unexpected token … is not valid JSON",
  "Output validation error",
  "has an invalid outputSchema: JSON Schema declares an unsupported dialect",
  "has an output schema but did not return structured content",
  "Request timed out",
  "Connection closed",
  "Method not found",
  "Unsupported protocol version",
  "Bad Request: No valid session ID provided",
  "Structured content does not match the tool's output schema",
  "Tool … has an output schema but did not return structured content",
  "Server-sent event exceeded the 1048576 byte limit",
]);

/** Returns the quoted texts and code in the first column of the table of what users see. */
function seen(page: string): readonly string[] {
  const tables = [...page.matchAll(/\| you see \|.*\n\|---.*\n((?:\|.*\n)+)/g)].map(
    ([, rows]) => rows,
  );
  const cells = [...tables.join("").matchAll(/^\| (.+?) \| /gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`|"([^"`]+)"/g)].map(([, code, quoted]) => code ?? quoted ?? ""),
  );
}

it.each(PAGES)("%s quotes messages exactly as the program prints them", (page, least) => {
  const program = projectFiles()
    .filter((file) => /^packages\/\w+\/(?:src|bin)\/.*(?<!\.test)\.(?:ts|js)$/.test(file))
    .map((file) => readFileSync(ROOT + file, "utf8"))
    // A message may be split over several lines in the source.
    .map((text) => text.replaceAll(/(["'`]) \+\s+\1/g, ""))
    .join("\n");
  const texts = seen(readFileSync(ROOT + page, "utf8")).filter(
    (text) => text.includes(" ") && !FOREIGN.has(text),
  );
  expect(texts.length).toBeGreaterThanOrEqual(least);
  const pieces = texts.flatMap((text) =>
    text.split(/\s*…\s*|: /).filter((piece) => piece.length > 5),
  );
  const unknown = pieces.filter((piece) => !program.includes(piece.replaceAll('"', "")));
  expect(unknown).toEqual([]);
});
