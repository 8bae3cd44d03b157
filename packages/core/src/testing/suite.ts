// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { arrayItems } from "../json/array.ts";
import type { JsonRange, MemberPlan } from "../json/range.ts";
import { scanJson } from "../json/scan.ts";
import { decodeUtf8 } from "../json/text.ts";
import type { Dialect } from "../keywords/dialect.ts";

/**
 * The parts of JSON-Schema-Test-Suite: the tests that every implementation must pass, the optional ones, and those of
 * formats.
 */
export type SuitePart = "required" | "optional" | "format";

/** One schema with values, each as JSON text, so that their numbers are as they were written. */
export interface SuiteGroup {
  readonly dialect: Dialect;
  readonly part: SuitePart;
  readonly file: string;
  readonly description: string;
  readonly schema: string;
  readonly tests: readonly {
    readonly description: string;
    readonly data: string;
    readonly valid: boolean;
  }[];
}

const FOLDERS: readonly (readonly [Dialect, string])[] = [
  ["draft-04", "draft4"],
  ["draft-06", "draft6"],
  ["draft-07", "draft7"],
  ["2019-09", "draft2019-09"],
  ["2020-12", "draft2020-12"],
];

function pick(bytes: Uint8Array, range: JsonRange, members: MemberPlan): Map<string, string> {
  const part = bytes.subarray(range.start, range.end);
  const found = new Map<string, string>();
  for (const [path, { start, end }] of scanJson(part, { members }).members) {
    found.set(path.slice(1), decodeUtf8(part.subarray(start, end)));
  }
  return found;
}

function member(found: ReadonlyMap<string, string>, name: string): string {
  const text = found.get(name);
  if (text === undefined) throw new Error(`a test has no ${name}`);
  return text;
}

function testsOf(text: string): SuiteGroup["tests"] {
  const bytes = new TextEncoder().encode(text);
  return [...arrayItems(bytes, { start: 0, end: bytes.length })].map((range) => {
    const found = pick(bytes, range, { description: true, data: true, valid: true });
    return {
      description: JSON.parse(member(found, "description")),
      data: member(found, "data"),
      valid: JSON.parse(member(found, "valid")) === true,
    };
  });
}

function groupsOf(
  path: string,
  about: Pick<SuiteGroup, "dialect" | "part" | "file">,
): SuiteGroup[] {
  const bytes = readFileSync(path);
  const { error, root } = scanJson(bytes);
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return [...arrayItems(bytes, root)].map((range) => {
    const found = pick(bytes, range, { description: true, schema: true, tests: true });
    return {
      ...about,
      description: JSON.parse(member(found, "description")),
      schema: member(found, "schema"),
      tests: testsOf(member(found, "tests")),
    };
  });
}

/** Every group of tests below the suite's folder. */
export function readSuite(folder: string): readonly SuiteGroup[] {
  const groups: SuiteGroup[] = [];
  for (const [dialect, name] of FOLDERS) {
    const parts: readonly (readonly [SuitePart, string])[] = [
      ["required", ""],
      ["optional", "optional"],
      ["format", "optional/format"],
    ];
    for (const [part, below] of parts) {
      const at = join(folder, "tests", name, below);
      for (const file of readdirSync(at).sort()) {
        if (!file.endsWith(".json")) continue;
        groups.push(...groupsOf(join(at, file), { dialect, part, file }));
      }
    }
  }
  return groups;
}

/** The suite's remote documents, as text, by the URI at which its schemas look for them. */
export function readRemotes(folder: string): ReadonlyMap<string, string> {
  const at = join(folder, "remotes");
  const documents = new Map<string, string>();
  for (const entry of readdirSync(at, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".json")) continue;
    const path = join(entry.parentPath, entry.name);
    const relative = path.slice(at.length + 1).replaceAll("\\", "/");
    documents.set(`http://localhost:1234/${relative}`, readFileSync(path, "utf8"));
  }
  return documents;
}
