// biome-ignore-start lint/style/noRestrictedImports: documentation lies outside the package
import { readFileSync } from "node:fs";
// biome-ignore-end lint/style/noRestrictedImports: see above
import { expect, it } from "vitest";
import { RULES } from "./rules.ts";

const PAGE = new URL("../../../../docs/reference/rules.md", import.meta.url);

it.each(RULES.map(({ id, must }) => [id, must]))(
  "docs/reference/rules.md names the rule %s",
  (id, must) => {
    const row = readFileSync(PAGE, "utf8")
      .split("\n")
      .find((line) => line.startsWith("|") && line.includes(`\`${id}\``));
    const stops = row?.split("|").at(-2)?.trim();
    expect(stops).toBe(
      must === undefined ? "no" : must === "2025-06-18" ? "from 2025-06-18" : "yes",
    );
  },
);
