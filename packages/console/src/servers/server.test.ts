import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenBeside, type Modes, patchOf, readModes } from "./modes.ts";
import { readServer, readServerDetail } from "./server.ts";

const mode = fc.constantFrom("off", "warn", "strict");
const modes = fc.record(
  { input: mode, output: mode, protocol: mode },
  { requiredKeys: [] },
) as fc.Arbitrary<Modes>;

describe("modes", () => {
  it.each([
    [{}, {}, undefined],
    [{ input: "warn" }, { input: "warn" }, undefined],
    [{ input: "warn" }, { input: "strict" }, { input: "strict" }],
    [{ input: "warn", output: "off" }, { input: "warn" }, { output: null }],
    [{}, { protocol: "off" }, { protocol: "off" }],
  ] as const)("that change from %j to %j are sent as %j", (own, wanted, patch) => {
    expect(patchOf(own, wanted)).toEqual(patch);
  });

  it("equal the wanted ones once the patch is applied", () => {
    fc.assert(
      fc.property(modes, modes, (own, wanted) => {
        const merged = { ...own, ...patchOf(own, wanted) };
        const left = Object.entries(merged).filter(([, value]) => value !== null);
        expect(Object.fromEntries(left)).toEqual(wanted);
      }),
    );
  });

  it.each([
    [{ output: "off" }, {}, { input: "strict" }, { input: "strict", output: "off" }],
    [{ input: "off" }, {}, { input: "strict" }, { input: "strict" }],
    [{ input: "strict" }, { input: "warn" }, {}, {}],
    [{}, { input: "warn" }, { input: "warn", output: "off" }, { output: "off" }],
  ] as const)("chosen as %j are kept while %j becomes %j: %j", (...given) => {
    const [wanted, known, own, chosen] = given;
    expect(chosenBeside(wanted, known, own)).toEqual(chosen);
  });

  it("can be read from anything without throwing", () => {
    expect(readModes({ input: "strict", output: "loud", __proto__: { protocol: "off" } })).toEqual({
      input: "strict",
    });
    fc.assert(fc.property(fc.jsonValue(), (value) => void readModes(value)));
  });
});

describe("a server", () => {
  it("has null for absent members", () => {
    expect(readServer({ name: "a", state: "running", command: "node x", tools: 3 })).toMatchObject({
      name: "a",
      state: "running",
      target: "node x",
      tools: 3,
      schemaFaults: null,
      revisions: [],
    });
    expect(readServer({ state: "running" })).toBeUndefined();
  });

  it("has one definition for all revisions in which a tool is the same", () => {
    const contract = { tool: "t", revision: "2025-11-25", inputHash: "sha256:1", learnedAt: "x" };
    const contracts = [
      contract,
      { ...contract, revision: "2026-07-28", learnedAt: "y" },
      { ...contract, revision: "2024-11-05", inputHash: "sha256:2" },
      { ...contract, tool: "u", revision: "" },
    ];
    const read = readServerDetail({ name: "a", contracts })?.contracts ?? [];
    expect(read.map(({ tool, revisions }) => [tool, ...revisions])).toEqual([
      ["t", "2025-11-25", "2026-07-28"],
      ["t", "2024-11-05"],
      ["u"],
    ]);
  });

  it("can be read from anything without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (contracts) => {
        const detail = readServerDetail({ name: "a", contracts });
        expect(detail?.contracts).toBeInstanceOf(Array);
      }),
    );
  });
});
