import { readFileSync } from "node:fs";
import { configJsonSchema } from "@touchstone/gateway";
import { describe, expect, it } from "vitest";
import { ROOT } from "./files.ts";
import { readPages } from "./markdown.ts";

interface Catalogue {
  readonly name: string;
  readonly codes: readonly (readonly [code: string, meaning: string | undefined])[];
}
const { errorCatalogues }: { errorCatalogues(): readonly Catalogue[] } = await import(
  "../../tools/docs/errors.mjs" as string
);

const { configurationReference }: { configurationReference(): string } = await import(
  "../../tools/docs/configuration.mjs" as string
);

/** Types of messages inside the page of tools: only the page itself receives them. */
const PRIVATE = ["ApiErrorCode"];
const pages = readPages();
const page = pages.find(({ path }) => path === "docs/guides/error-codes.md");

describe("docs/guides/error-codes.md explains", () => {
  const told = new Set(page?.spans);
  it.each(errorCatalogues().filter(({ name }) => !PRIVATE.includes(name)))("$name", ({ codes }) => {
    expect(codes.map(([code]) => code).filter((code) => !told.has(code))).toEqual([]);
  });

  it("no code that does not exist", () => {
    const known = new Set(errorCatalogues().flatMap(({ codes }) => codes.map(([code]) => code)));
    const shouted = [...told].filter((span) => /^[A-Z]+(?:_[A-Z]+)+$/.test(span));
    expect(shouted.length).toBeGreaterThan(20);
    expect(shouted.filter((code) => !known.has(code))).toEqual([]);
  });
});

it("the settings pages name every key, and docs/reference/issues.md every class of issues", () => {
  const rows = [...configurationReference().matchAll(/^\| `([\w.]+)` \|/gm)];
  const keys = rows.map(([, key = ""]) => key);
  expect(keys.length).toBeGreaterThan(40);
  const missed = keys.filter((key) => {
    const paths = key.includes(".rules.")
      ? ["docs/reference/issues.md"]
      : ["docs/reference/settings.md", "docs/reference/configuration.md"];
    const spans = pages.filter(({ path }) => paths.includes(path)).flatMap((one) => one.spans);
    return !new RegExp(`\\b${key.split(".").at(-1)}\\b`).test(spans.join(" "));
  });
  expect(missed).toEqual([]);
});

interface Described {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
}

function* defaultsOf(schema: Described, path: string): Generator<readonly [string, string]> {
  for (const [name, inside] of Object.entries(schema.properties ?? {})) {
    const standard = inside.default;
    const shown = Array.isArray(standard) ? JSON.stringify(standard) : String(standard);
    if (standard !== undefined) yield [`${path}${name}`, shown];
    yield* defaultsOf(inside, `${path}${name}.`);
  }
}

const CONFIGURATION = readFileSync(`${ROOT}docs/reference/settings.md`, "utf8");

/** Returns the default of a key in the table of docs/reference/settings.md; undefined if the key is not there. */
function toldDefault(key: string): string | undefined {
  const [section = "", name = ""] = key.split(".");
  for (const [, keys = "", told = ""] of CONFIGURATION.matchAll(/^\| (`[^|]+) \| ([^|]*) \|/gm)) {
    const named = [...keys.matchAll(/`([^`]+)`/g)].map(([, one]) => one);
    const at = named.findIndex((one) => one === key || one === `….${name}`);
    if (at < 0) continue;
    const all = told.replaceAll("`", "");
    const values = all.split(", ");
    const value = values.length === named.length ? values[at] : all;
    const [, usual, place, there] = /^([^(]*?)(?: \((\w+): (\w+)\))?$/.exec(value ?? "") ?? [];
    return place !== undefined && section.startsWith(place) ? there : usual;
  }
  return undefined;
}

const defaults = [...defaultsOf(configJsonSchema(), "")].filter(
  ([key]) => !key.includes(".rules."),
);

it.each(defaults)("docs/reference/settings.md states the default of %s: %s", (key, value) => {
  expect(toldDefault(key)).toBe(value);
});
