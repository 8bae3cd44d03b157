import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMPONENTS, OPERATIONS } from "../packages/gateway/src/server/api/index.ts";

// A response of the gateway's API has one schema, and its type is inferred from it, in the gateway and in the console.

const CONSOLE = fileURLToPath(new URL("../packages/console/src/", import.meta.url));

const sources = readdirSync(CONSOLE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|(?:^|[\\/])testing[\\/]/.test(file))
  .map((file) => [file.split(sep).join("/"), readFileSync(join(CONSOLE, file), "utf8")] as const);

/**
 * Sources that read JSON other than responses of the gateway's API: what tools, their API and the user wrote. Each
 * value is checked where it is read, because nothing declares its type.
 */
const FOREIGN: ReadonlySet<string> = new Set([
  "api/client.ts",
  "api/operations.ts",
  "api/progress.ts",
  "api/tool-summary.ts",
  "call/result.ts",
  "page/sign-in.ts",
]);

/** A function that builds a typed value from unknown JSON. */
const READER = /\bfunction (\w+)(?:<[^>]*>)?\([^)]*\b(?:answer|response|item)\??: unknown\b/g;
const readersIn = (text: string): readonly string[] =>
  [...text.matchAll(READER)].map(([, name = ""]) => name);

describe("the console", () => {
  it("has no readers of the gateway's responses", () => {
    expect(sources.length).toBeGreaterThan(100);
    const found = sources
      .filter(([file]) => !FOREIGN.has(file))
      .flatMap(([file, text]) => readersIn(text).map((name) => `${file}: ${name}`));
    expect(found).toEqual([]);
    expect(readersIn("export function readServer(item: unknown): Server {")).toEqual([
      "readServer",
    ]);
  });

  it("declares no type of a response itself", () => {
    const names = Object.keys(COMPONENTS.schemas);
    const own = new RegExp(
      `\\b(?:interface (?:${names.join("|")})\\b|type (?:${names.join("|")}) = (?:Readonly<)?\\{)`,
      "g",
    );
    const found = sources.flatMap(([file, text]) =>
      [...text.matchAll(own)].map(([declared]) => `${file}: ${declared}`),
    );
    expect(found).toEqual([]);
  });

  it("names no path of the API: operations have them", () => {
    const paths = Object.values(OPERATIONS).map(({ path }) => path.replace(/^\/|\{.*$/g, ""));
    const found = sources.flatMap(([file, text]) =>
      paths
        .filter((path) => text.includes(`"${path}`) || text.includes(`\`${path}`))
        .map((path) => `${file}: ${path}`),
    );
    expect(found).toEqual([]);
  });
});
