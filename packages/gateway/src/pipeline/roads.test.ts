import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toClient, toServer } from "./roads.ts";

const src = fileURLToPath(new URL("../", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/\.test\.ts$|(?:^|[\\/])testing[\\/]/.test(file),
);
const inPipeline = files.filter((file) => /^pipeline(?:[\\/]|\.ts$)/.test(file));
const having = (among: readonly string[], pattern: RegExp): string[] =>
  among.filter((file) => pattern.test(readFileSync(join(src, file), "utf8"))).sort();

describe("the pipeline's stages", () => {
  const page = readFileSync(join(src, "../../../ARCHITECTURE.md"), "utf8");

  it.each(Object.entries({ toServer, toClient }))(
    "are listed in ARCHITECTURE.md: %s",
    (name, stages) => {
      const line = page.split("\n").find((text) => text.startsWith(`${name} `)) ?? "";
      const shown = line.slice(name.length).trim().split(" → ");
      expect(shown).toEqual(stages.map((stage: { readonly name: string }) => stage.name));
    },
  );

  it.each([...new Set([...toServer, ...toClient].map((stage) => stage.name))])(
    "have a file each: %s",
    (name) => {
      const isStep = having(files, new RegExp(`: CallStep = \\{\\s+name: "${name}"`)).length === 1;
      expect(isStep || inPipeline.includes(join("pipeline", "stages", `${name}.ts`))).toBe(true);
    },
  );
});

it("the README names only files that exist", () => {
  const readme = readFileSync(join(src, "../README.md"), "utf8");
  const named = [...readme.matchAll(/`([\w-]+\/[\w/-]+\.ts)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(10);
  const ofRecords = readdirSync(join(src, "../../records/src"), {
    recursive: true,
    encoding: "utf8",
  });
  const known = new Set([...files, ...ofRecords]);
  expect(named.filter((path) => !known.has(join(path)))).toEqual([]);
});

describe("code that belongs in one place", () => {
  const settle = join("pipeline", "settle.ts");
  const table: [string, RegExp, string[]][] = [
    ["builds records of decisions", /type: "policy_decision",\s+(?:source|\.\.\.found)/, [settle]],
    ["shows taps the checks", /tap\.checked\?\.\(/, [settle]],
    ["logs decisions", /\? "forwarded with a warning" : decision/, [settle]],
  ];
  it.each(table)("%s", (_, pattern, places) => {
    expect(having(files, pattern)).toEqual(places);
  });

  it("the pipeline imports neither insight nor drift", () => {
    expect(having(inPipeline, /from "(?:\.\.?\/)+(?:insight|drift)\//)).toEqual([]);
  });

  it("only messages.ts writes the errors that a peer receives, and two files its notifications", () => {
    const errors = /\b(?:errorFrame|toolErrorFrame)\(/;
    expect(having(inPipeline, errors)).toEqual([join("pipeline", "messages.ts")]);
    // A mock sends the change of a list as well, and loads no other message of the pipeline.
    const notifications = having(inPipeline, /\bnotificationFrame\(/);
    expect(notifications.toSorted()).toEqual([
      join("pipeline", "list-change.ts"),
      join("pipeline", "messages.ts"),
    ]);
  });

  it("only judge.ts handles a value or a promise of one, so short checks finish in the same turn", () => {
    const inTransport = files.filter((file) => /^transport[\\/]/.test(file));
    const pattern = /\b(\w+) \| Promise<\1\b|\bAwaitable\b|instanceof Promise/;
    const slices = join("..", "..", "util", "src", "time-slice.ts");
    expect(having([...inPipeline, ...inTransport, slices], pattern)).toEqual([
      join("pipeline", "judge.ts"),
    ]);
  });
});
