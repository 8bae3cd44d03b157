// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import type { Dialect } from "../../keywords/dialect.ts";
import { sharedPath } from "../../testing/shared.ts";

interface Group {
  readonly schema: { readonly format: string };
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

const FOLDERS: Readonly<Record<string, Dialect>> = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};

const root = sharedPath("suites", "json-schema-test-suite", "tests");

describe.skipIf(root === undefined)("formats of JSON-Schema-Test-Suite, asserted", () => {
  const failures: string[] = [];
  let passed = 0;
  for (const [folder, dialect] of Object.entries(root === undefined ? {} : FOLDERS)) {
    const formats = join(root ?? "", folder, "optional", "format");
    for (const file of readdirSync(formats)) {
      const groups: readonly Group[] = JSON.parse(readFileSync(join(formats, file), "utf8"));
      for (const { schema, tests } of groups) {
        const compiled = compileDeclared({ value: schema }, { dialect });
        for (const { description, data, valid } of tests) {
          if (compiled.validateText(JSON.stringify(data)).valid === valid) passed++;
          else failures.push(`${folder}/${file}: ${description}`);
        }
      }
    }
  }

  it("pass", () => {
    expect(failures).toEqual([]);
    expect(passed).toBe(2741);
  });
});
