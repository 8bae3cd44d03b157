import { describe, expect, it } from "vitest";
import { readDrift } from "./drift.ts";

const report = (finding: object) => ({ server: "s", tool: "t", findings: [finding] });

describe("drift", () => {
  it.each<readonly [object, string]>([
    [{ kind: "never_came", of: 1200, required: true }, "never came in 1,200, but is required"],
    [{ kind: "sometimes_missing", count: 2, of: 5 }, "is required, but was missing in 2 of 5"],
    [
      { kind: "undeclared", count: 1, of: 2, types: ["string"], closed: true },
      "is not declared, but occurred in 1 of 2 (string); the schema allows no others",
    ],
    [
      { kind: "unnamed", count: 7, of: 2 },
      "had 7 members in 2 whose names were not stored because they may be data",
    ],
    [
      { kind: "other_value", count: 1, of: 2, keyword: "maximum", says: 3 },
      'broke "maximum": 3 in 1 of 2 results',
    ],
    [
      { kind: "other_type", count: 1, of: 2, types: ["null"], declared: [] },
      "was null in 1 of 2; declared is nothing",
    ],
    [{ kind: "new_kind", count: 1, of: 2 }, "new_kind: 1 of 2"],
  ])("describes %j", (finding, said) => {
    const read = readDrift(report({ path: "/a", ...finding }));
    expect(read?.findings).toEqual([{ path: "/a", said }]);
  });

  it("has a schema that fits, or the uncertain parts", () => {
    const proposed = { proposed: { type: "object" }, proposed_unsure: ["items", "new"] };
    expect(readDrift({ ...report({}), ...proposed })).toMatchObject({
      proposed: '{\n  "type": "object"\n}',
      fits: false,
      unsure: ["items of long arrays beyond the first 50", "new"],
    });
    expect(readDrift({ ...report({}), proposed: false, proposed_fits: true })).toMatchObject({
      proposed: "false",
      fits: true,
    });
    expect([readDrift(null), readDrift({ server: "s" })]).toEqual([undefined, undefined]);
  });
});
