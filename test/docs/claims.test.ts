import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allClearIn } from "./claims/all-clear.ts";
import { ASSURANCES } from "./claims/assurances.ts";
import { fromClients } from "./claims/from-clients.ts";
import { fromServers } from "./claims/from-servers.ts";
import { type Claims, claimsOf } from "./claims/read.ts";
import { threatModel } from "./claims/threat-model.ts";
import { unchecked } from "./claims/unchecked.ts";
import { projectFiles, ROOT } from "./files.ts";

/* Each statement of these pages is bound to tests: one that has none, or whose test is gone, fails here. */

const PAGES: readonly (readonly [string, Claims])[] = [
  ["threat-model", threatModel],
  ["threats-from-clients", fromClients],
  ["threats-from-servers", fromServers],
  ["what-passes-unchecked", unchecked],
];
const files = projectFiles().filter((path) => /\.test\.tsx?$/.test(path));
const pathsOf = (file: string): readonly string[] =>
  files.filter((path) => `/${path}`.endsWith(`/${file}`));

/** Returns what is wrong with the name of a test, `FILE > TITLE`. */
function faultOf(name: string): string | undefined {
  const [file = "", title = ""] = name.split(/ > (.*)/s);
  const [path, ...others] = pathsOf(file);
  if (path === undefined) return `${name}: there is no such file`;
  if (others.length > 0) return `${name}: ${others.length + 1} files have this name`;
  const text = readFileSync(ROOT + path, "utf8");
  const quoted = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`\\(\\s*(["'\`])${quoted}\\1`).test(text) ? undefined : `${name}: no such test`;
}

describe.each(PAGES)("the claims of %s.md", (page, claims) => {
  const found = claimsOf(readFileSync(`${ROOT}docs/explanation/${page}.md`, "utf8"));
  const startsOf = (text: string) => Object.keys(claims).filter((start) => text.startsWith(start));

  it("are each listed once, and nothing else is", () => {
    const counts = found.map(({ text }) => [text.slice(0, 60), startsOf(text).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    const unused = Object.keys(claims).filter(
      (start) => !found.some(({ text }) => text.startsWith(start)),
    );
    expect(unused).toEqual([]);
    expect(found.length).toBe(Object.keys(claims).length);
  });

  it("have a test, unless they say that there is no defense", () => {
    const untested = found.filter(({ text, undefended }) => {
      return !undefended && startsOf(text).every((start) => claims[start]?.length === 0);
    });
    expect(untested.map(({ text }) => text)).toEqual([]);
  });

  it("name tests that exist", () => {
    const faults = Object.values(claims).flat().map(faultOf);
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("name in their row only files of these tests", () => {
    const faults = found.flatMap(({ text, named }) => {
      const tests = startsOf(text).flatMap((start) => claims[start] ?? []);
      const paths = new Set(tests.flatMap((name) => pathsOf(name.split(" > ")[0] ?? "")));
      const other = named.filter((file) => !pathsOf(file).some((path) => paths.has(path)));
      return other.map((file) => `${text.slice(0, 60)}: ${file}`);
    });
    expect(faults).toEqual([]);
  });
});

describe.each(Object.entries(ASSURANCES))(
  "what %s says of things in order",
  (path, { held, others = [] }) => {
    const source = readFileSync(ROOT + path, "utf8");
    const parts = [...Object.keys(held), ...others];

    it("is bound to tests, sentence by sentence", () => {
      const counts = allClearIn(path, source).map((said) => [
        said,
        parts.filter((part) => said.includes(part)).length,
      ]);
      const once = counts.filter(([, count]) => count !== 1);
      expect(once, "list each of them once in test/docs/claims/assurances.ts").toEqual([]);
      const whole = source.replaceAll(/\s+/g, " ");
      expect(parts.filter((part) => !whole.includes(part))).toEqual([]);
    });

    it("names tests that exist", () => {
      expect(Object.entries(held).filter(([, tests]) => tests.length === 0)).toEqual([]);
      const faults = Object.values(held).flat().map(faultOf);
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    });
  },
);

it("finds a sentence that all is well in a page and in a source file", () => {
  const page = "# Safe\n\nOne. It is safe: Yes.\n\n| `x` | nothing |\n\n```sh\necho safe\n```\n";
  expect(allClearIn("a.md", page)).toEqual(["It is safe:", "| `x` | nothing |"]);
  const source =
    '// nothing "is safe here"\nconst a = "all is in order";\nconst b = "safe";\n<p>\n  Nothing was\n  found.\n</p>;\n';
  expect(allClearIn("a.tsx", source)).toEqual(['"all is in order"', "Nothing was found."]);
});

it("finds a claim without a test, and a test that is gone", () => {
  const page =
    "# A\n\n[Menu](b.md)\n\n## B\n\nOne\nclaim.\n\n- Two.\n- Three\n  lines.\n\n| a | test |\n|---|---|\n| x \\| y | `z.test.ts` |\n\n**Not defended**:\n\n- Four.\n";
  expect(claimsOf(page).map(({ text, undefended, named }) => [text, undefended, named])).toEqual([
    ["One claim.", false, []],
    ["Two.", false, []],
    ["Three lines.", false, []],
    ["x \\| y", false, ["z.test.ts"]],
    ["Four.", true, []],
  ]);
  expect(faultOf("docs/claims.test.ts > have a test")).toContain("no such test");
  expect(faultOf("docs/claims.test.ts > name tests that exist")).toBeUndefined();
  expect(faultOf("docs/gone.test.ts > name tests that exist")).toContain("no such file");
});
