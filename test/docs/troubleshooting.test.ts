import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectFiles, ROOT } from "./files.ts";

const PAGE = readFileSync(`${ROOT}docs/guides/troubleshooting.md`, "utf8");
/** Texts of shells, browsers, Node and the MCP SDKs. */
const FOREIGN = new Set([
  "touchstone: command not found",
  "No 'Access-Control-Allow-Origin' header",
  "Unexpected token … is not valid JSON",
  "Output validation error",
  "has an invalid outputSchema: JSON Schema declares an unsupported dialect",
  "has an output schema but did not return structured content",
  "Request timed out",
  "Server-sent event exceeded the 1048576 byte limit",
]);

/** What is in the first column of the table of what users see: texts in quotes or as code. */
function seen(): readonly string[] {
  const [, table = ""] = /\| you see \|.*\n\|---.*\n((?:\|.*\n)+)/.exec(PAGE) ?? [];
  const cells = [...table.matchAll(/^\| (.+?) \| /gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`|"([^"`]+)"/g)].map(([, code, quoted]) => code ?? quoted ?? ""),
  );
}

it("docs/guides/troubleshooting.md quotes messages exactly as the program prints them", () => {
  const program = projectFiles()
    .filter((file) => /^packages\/\w+\/(?:src|bin)\/.*(?<!\.test)\.(?:ts|js)$/.test(file))
    .map((file) => readFileSync(ROOT + file, "utf8"))
    // A text may be put together from several lines.
    .map((text) => text.replaceAll(/(["'`]) \+\s+\1/g, ""))
    .join("\n");
  const texts = seen().filter((text) => text.includes(" ") && !FOREIGN.has(text));
  expect(texts.length).toBeGreaterThan(12);
  const pieces = texts.flatMap((text) =>
    text.split(/\s*…\s*|: /).filter((piece) => piece.length > 5),
  );
  const unknown = pieces.filter((piece) => !program.includes(piece.replaceAll('"', "")));
  expect(unknown).toEqual([]);
});
