// biome-ignore-start lint/style/noRestrictedImports: the test reads the sources
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { describe, expect, it } from "vitest";
import { DIALECTS } from "./dialect.ts";
import { KEYWORD_SPELLINGS, KEYWORDS, LAST_KEYWORDS, REGISTRY } from "./index.ts";

const SRC = join(import.meta.dirname, "..");

/** The files outside this folder that may name keywords, each with the reason. */
const NAMING: Readonly<Record<string, string>> = {
  "document/draft-07.ts": "says how a schema of a newer dialect is written in draft-07",
  "document/metaschemas.ts": "has a metaschema of our own",
  "from-schema.ts": "infers the type of a literal schema",
  "repair/fix.ts": "repairs what some keywords find",
  "repair/default.ts": "fills in what is required",
  "report/explain/describe.ts": "puts a whole schema into a few words",
  "report/explain/misplaced.ts": "looks for names that a schema does not declare",
  "report/explain/request.ts": "says what to send so that a schema accepts it",
  "report/explain/sentence.ts": "has a keyword in a text",
  "report/issues/issue-subject.ts": "asks whether an item may be taken out",
  "report/render/advice.ts": "has a keyword in a text",
  "engine/pattern/find-text.ts": "bounds the length of a text",
  "json/decimal.ts": "has a keyword in a text",
  "shortcut/can-tell.ts": "is the shortcut's row for each keyword",
  "shortcut/kinds.ts": "says what fits into an image",
  "shortcut/schema-image.ts": "writes an image",
  "shortcut/layout.ts": "says where in an image each keyword stands",
  "shortcut/image-lists.ts": "writes the lists of an image",
};

/** Returns whether a name is unlikely to mean anything but the keyword. */
const isDistinct = (name: string): boolean => /^[a-z]+[A-Z]/.test(name);

function codeOf(file: string): string {
  const text = readFileSync(join(SRC, file), "utf8");
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*/g, "");
}

describe("the registry", () => {
  it("is the only place that names keywords", () => {
    const names = [...new Set(KEYWORD_SPELLINGS.map(({ name }) => name))].filter(isDistinct);
    expect(names.length).toBeGreaterThan(20);
    const named = new RegExp(`\\b(?:${names.join("|")})\\b`);
    const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".ts") && !/^keywords\/|testing\/|\.test\./.test(file));
    const found = files.filter((file) => named.test(codeOf(file)));
    expect(found.sort()).toEqual(Object.keys(NAMING).sort());
  });

  it("lists a keyword before those that depend on it", () => {
    for (const [i, { beside }] of REGISTRY.entries()) {
      if (beside === undefined) continue;
      expect(REGISTRY.slice(0, i).map(({ name }) => name)).toContain(beside);
    }
  });

  it("says where each keyword that holds schemas applies them", () => {
    for (const { name, shape, where } of REGISTRY) {
      expect([name, shape.schemas !== undefined]).toEqual([name, where !== undefined]);
    }
  });

  it("contains every keyword that the engine runs", () => {
    for (const keyword of [...KEYWORDS, ...LAST_KEYWORDS]) {
      expect(REGISTRY).toContain(keyword);
      expect(keyword.compile).toBeDefined();
    }
  });

  it("has one keyword per name in each dialect", () => {
    const at = (name: (typeof DIALECTS)[number]): number => DIALECTS.indexOf(name);
    for (const dialect of DIALECTS) {
      const known = KEYWORD_SPELLINGS.filter(
        ({ since, until = "2020-12" }) => at(since) <= at(dialect) && at(dialect) <= at(until),
      ).map(({ name }) => name);
      // `format` is one keyword for texts and one for numbers.
      const twice = known.filter((name, i) => known.indexOf(name) !== i);
      expect(twice).toEqual(["format"]);
    }
  });
});
