// biome-ignore-start lint/style/noRestrictedImports: sources lie outside what a test may import
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { afterAll, describe, expect, it, vi } from "vitest";
import { encodeUtf8 } from "../json/text.ts";
import { long, sample } from "../testing/sample.ts";
import { sharedPath } from "../testing/shared.ts";
import { readRemotes, readSuite } from "../testing/suite.ts";

const folder = sharedPath("suites", "json-schema-test-suite");

describe("without the shortcut", () => {
  afterAll(() => {
    vi.doUnmock("./acceptor.ts");
    vi.resetModules();
  });

  it.skipIf(folder === undefined)(
    "every check of the official suite gives the same result",
    { ...long, timeout: 180_000 },
    async () => {
      const present = await import("../compile.ts");
      vi.resetModules();
      class NoAcceptor {
        readonly image = undefined;
        accepts(): boolean {
          return false;
        }
      }
      vi.doMock("./acceptor.ts", () => ({ Acceptor: NoAcceptor }));
      const absent = await import("../compile.ts");
      const documents = readRemotes(folder ?? "");
      let accepted = 0;
      const groups = readSuite(folder ?? "").filter((_, i) => i % sample(4, 1) === 0);
      for (const { schema, dialect, part, tests, file } of groups) {
        const options = { documents, dialect, formats: part === "format" };
        const one = present.compileDeclared({ text: schema }, options);
        const other = absent.compileDeclared({ text: schema }, options);
        expect(other.image).toBeUndefined();
        if (one.image !== undefined) accepted++;
        for (const { data } of tests) {
          const bytes = encodeUtf8(data);
          expect(one.validateText(bytes), `${file}: ${schema}`).toEqual(other.validateText(bytes));
        }
      }
      expect(accepted).toBeGreaterThan(sample(250, 1_000));
    },
  );

  it("only the reading of a schema has to change", () => {
    const src = join(import.meta.dirname, "..");
    const users = readdirSync(src, { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".ts") && !/^shortcut\/|testing\/|\.test\./.test(file))
      .filter((file) => /from "[^"]*shortcut\//.test(readFileSync(join(src, file), "utf8")));
    expect(users).toEqual(["read.ts"]);
  });
});
