import { beforeAll, describe, expect, it } from "vitest";

const script = new URL("../tools/bench/visits/count.mjs", import.meta.url).href;

/** Files that a valid call may run functions of: fewer are easier to follow. */
const MOST_FILES = 90;

describe("a valid call over stdio, strict and recorded", () => {
  let visits: {
    readonly files: readonly { readonly file: string }[];
    readonly lookUps: Readonly<Record<string, number>>;
  };
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
