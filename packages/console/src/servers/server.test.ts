import type { ShownContract } from "@touchstone/gateway/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Modes, mergeChosenModes, modesPatch } from "./modes.ts";
import { mergeRevisions, toolFaults } from "./server.ts";

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
    expect(modesPatch(own, wanted)).toEqual(patch);
  });

  it("equal the wanted ones once the patch is applied", () => {
    fc.assert(
      fc.property(modes, modes, (own, wanted) => {
        const merged = { ...own, ...modesPatch(own, wanted) };
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
    expect(mergeChosenModes(wanted, known, own)).toEqual(chosen);
  });
});

describe("a server", () => {
  const contract: ShownContract = {
    ...{ tool: "t", revision: "2025-11-25", inputHash: "sha256:1", outputHash: null },
    ...{ faults: [], own: {}, refusedBy: null, repeated: false, learnedAt: "x" },
    modes: { input: "warn", output: "warn", protocol: "warn" },
  };

  it("has one definition for all revisions in which a tool is the same", () => {
    const contracts = [
      contract,
      { ...contract, revision: "2026-07-28", learnedAt: "y" },
      { ...contract, revision: "2024-11-05", inputHash: "sha256:2" },
      { ...contract, tool: "u", revision: "" },
    ];
    expect(mergeRevisions(contracts).map(({ tool, revisions }) => [tool, ...revisions])).toEqual([
      ["t", "2025-11-25", "2026-07-28"],
      ["t", "2024-11-05"],
      ["u"],
    ]);
  });

  it("has each fault of its schemas once", () => {
    const fault = { direction: "input", code: "too_deep", message: "m", hint: "h" } as const;
    const faulty = { ...contract, faults: [fault] };
    const contracts = [faulty, { ...faulty, revision: "2026-07-28" }, { ...faulty, tool: "u" }];
    expect(toolFaults({ contracts }).map(({ tool, message }) => [tool, message])).toEqual([
      ["t", "m"],
      ["u", "m"],
    ]);
  });
});
