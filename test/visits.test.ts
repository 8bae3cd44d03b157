import { beforeAll, describe, expect, it } from "vitest";

const script = new URL("../tools/bench/visits/count.mjs", import.meta.url).href;

/** Files that a valid call may run functions of: fewer are easier to follow. */
const MOST_FILES = 90;
/** The same for a call of the tools API. */
const MOST_FILES_OF_TOOLS_API = 170;

interface Visits {
  readonly files: readonly {
    readonly file: string;
    readonly functions: readonly { readonly name: string; readonly calls: number }[];
  }[];
  readonly lookUps: Readonly<Record<string, number>>;
}

describe("a valid call over stdio, strict and recorded", () => {
  let visits: Visits;
  beforeAll(async () => {
    const { countVisits } = await import(script);
    visits = await countVisits();
  });

  it("looks up settings, revision and policy once for each message", () => {
    const { settings, revision, policy } = visits.lookUps;
    // The response is checked by the settings and the policy of its call.
    expect({ settings, revision, policy }).toEqual({ settings: 2, revision: 2, policy: 1 });
  });

  it(`runs functions of at most ${MOST_FILES} files`, () => {
    const files = visits.files.map(({ file }) => file);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES);
  });
});

describe("a valid call of the tools API, strict and recorded", () => {
  it(`is one HTTP request, and runs functions of at most ${MOST_FILES_OF_TOOLS_API} files`, async () => {
    const { countToolsApiVisits } = await import(script);
    const { files }: Visits = await countToolsApiVisits();
    const names = files.map(({ file }) => file);
    expect(names.length, names.join("\n")).toBeLessThanOrEqual(MOST_FILES_OF_TOOLS_API);
    const routes = files.find(({ file }) => file === "gateway/server/mcp-routes.js");
    expect(routes?.functions.find(({ name }) => name === "inOriginForm")?.calls).toBe(1);
  });
});
