import { describe, expect, it } from "vitest";
import { compareContracts } from "./store.ts";

const tool = (inputHash?: string, outputHash?: string) => ({ inputHash, outputHash });

describe("compareContracts", () => {
  it.each([
    ["the same", tool("i", "o"), tool("i", "o"), []],
    ["another input", tool("i", "o"), tool("j", "o"), ["input"]],
    ["another output", tool("i", "o"), tool("i", "p"), ["output"]],
    ["both", tool("i", "o"), tool("j", "p"), ["input", "output"]],
    ["an output that came", tool("i"), tool("i", "o"), ["output"]],
    ["an input that went", tool("i"), tool(), ["input"]],
    ["a new tool", undefined, tool("i"), ["added"]],
    ["a tool that went", tool("i"), undefined, ["removed"]],
  ])("%s", (_name, before, after, kinds) => {
    const list = (entry: typeof before) => new Map(entry === undefined ? [] : [["t", entry]]);
    const changes = compareContracts(list(before), list(after));
    expect(changes.map(({ kind }) => kind)).toEqual(kinds);
    for (const change of changes)
      expect(change).toMatchObject({ tool: "t", ...(after ?? { before }) });
  });
});
