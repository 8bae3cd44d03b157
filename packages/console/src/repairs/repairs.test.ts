import { expect, it } from "vitest";
import { readRepairs } from "./repairs.ts";

it("repairs are read without unknown members", () => {
  const answer = {
    calls: 5,
    repaired: 2,
    repairs: [
      { server: "s", tool: "t", kind: "coerce-scalars", path: "/n", calls: 2 },
      { server: null, tool: null, kind: "new-kind", path: "", calls: 1 },
      { kind: 1 },
    ],
    repairs_left_out: 3,
    hints: { "coerce-scalars": "Name the type.", other: 1 },
  };
  expect(readRepairs(answer)).toEqual({
    calls: 5,
    repaired: 2,
    repairs: answer.repairs.slice(0, 2),
    leftOut: 3,
    hints: new Map([["coerce-scalars", "Name the type."]]),
  });
  expect([readRepairs({}), readRepairs(null)]).toEqual([undefined, undefined]);
});
