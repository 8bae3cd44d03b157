import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Names that two files of a package export, because both do the same for different systems. */
const ONE_FOR_EACH: Readonly<Record<string, readonly string[]>> = {
  // One for each database: `sqlite/` and `postgres/` have the same parts.
  records: ["createDatabase", "inTransaction", "migrate"],
  // One for each agent SDK: users import it from the entry for their SDK.
  runner: ["checkedTool", "withValidation"],
};

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:default )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) +([\w$]+)/gm;

/** Returns the names that more than one of the files declare and export, with these files. */
function namesTwice(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [file, text] of files) {
    const names = new Set([...text.matchAll(DECLARATION)].map(([, name = ""]) => name));
    for (const name of names) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return new Map([...found].filter(([, declared]) => declared.length > 1));
}

/** The sources of a package by their paths, without those that only tests use. */
function sourcesOf(name: string): ReadonlyMap<string, string> {
  const src = join(packages, name, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|(?:^|[\\/])testing[\\/]/.test(file),
  );
  return new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
}

describe("the exported names of a package", () => {
  it.each(readdirSync(packages))("have one meaning: %s", (name) => {
    const files = sourcesOf(name);
    expect(files.size).toBeGreaterThan(5);
    const twice = [...namesTwice(files)].filter(
      ([exported]) => !(ONE_FOR_EACH[name] ?? []).includes(exported),
    );
    expect(twice).toEqual([]);
  });

  it.each(Object.entries(ONE_FOR_EACH))("have no needless exception: %s", (name, exceptions) => {
    expect([...namesTwice(sourcesOf(name)).keys()].toSorted()).toEqual(exceptions.toSorted());
  });

  it("are found in each kind of declaration", () => {
    const twice = namesTwice(
      new Map([
        ["a.ts", "export interface Place {}\nexport async function run() {}\nconst own = 1;"],
        ["b.ts", "export type Place = 1;\nexport const own = 2;\nexport abstract class Store {}"],
        ["c.ts", "export function* run() {}\nexport class Store {}\nexport { own } from './b.ts';"],
      ]),
    );
    expect(Object.fromEntries(twice)).toEqual({
      Place: ["a.ts", "b.ts"],
      run: ["a.ts", "c.ts"],
      Store: ["b.ts", "c.ts"],
    });
  });
});
