import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import { artifactUri } from "./artifact-uri.ts";

interface Result {
  readonly locations: readonly [
    { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } },
  ];
}

/** Returns the URIs of all results in a SARIF log. */
function urisIn(log: string): Set<string> {
  const [{ results }] = JSON.parse(log).runs;
  return new Set(
    (results as Result[]).map(
      ({ locations: [place] }) => place.physicalLocation.artifactLocation.uri,
    ),
  );
}

describe("artifactUri", () => {
  it.each([
    ["a b#c?d%e.json", "a%20b%23c%3Fd%25e.json"],
    ["./data/../data//a.json", "data/a.json"],
    [join(process.cwd(), "data", "[a].json"), "data/%5Ba%5D.json"],
    ["back\\slash.json", "back%5Cslash.json"],
    ["http://x", "http%3A/x"],
    ["localhost:3000", "localhost%3A3000"],
    ["<stdin>", "%3Cstdin%3E"],
    ["\ud800.json", "%EF%BF%BD.json"],
  ])("writes %s as %s", (name, uri) => {
    expect(artifactUri(name)).toBe(uri);
  });

  it("writes a path outside the working directory as a file URI", () => {
    const outside = join(process.cwd(), "..", "a b", "#.json");
    const uri = pathToFileURL(outside).href;
    expect(artifactUri(outside)).toBe(uri);
    expect(artifactUri("../a b/#.json")).toBe(uri);
  });

  it("resolves back to the file, whatever its name", () => {
    const root = pathToFileURL(join(process.cwd(), "/"));
    const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => !/[/\0]/.test(one));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
        const path = names.filter((one) => one !== "." && one !== "..").join("/");
        fc.pre(path !== "");
        const { pathname, search, hash } = new URL(artifactUri(path), root);
        expect([decodeURIComponent(pathname), search, hash]).toEqual([
          join(process.cwd(), path),
          "",
          "",
        ]);
      }),
    );
  });
});

describe("the SARIF output of validate, check and lint", () => {
  it("names the same file in the same way, however it was given", async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "my data"));
    const file = join("my data", "50%#1.json");
    const tools = [{ name: "t", inputSchema: { type: "array" } }];
    writeFileSync(join(cwd, file), JSON.stringify({ tools }));
    writeFileSync(join(cwd, "s.json"), '{"type":"array"}');
    const sarif = async (args: readonly string[]): Promise<string[]> => {
      const options = { cwd, stdin: '{"tools":5}' };
      const { code, out, err } = await outcomeOf([...args, "-f", "sarif"], options);
      expect([code, err]).toEqual([1, ""]);
      return [...urisIn(out)];
    };
    const uri = "my%20data/50%25%231.json";
    for (const name of [file, `./${file}`, join(cwd, file)]) {
      expect(await sarif(["validate", "-s", "s.json", name])).toEqual([uri]);
      expect(await sarif(["check", name])).toEqual([uri]);
      expect(await sarif(["lint", "--for", "openai", name])).toEqual([uri]);
    }
    expect(await sarif(["validate", "-s", "s.json", "-"])).toEqual(["%3Cstdin%3E"]);
  });
});
