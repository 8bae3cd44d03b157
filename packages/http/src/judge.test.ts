import { type CheckLater, compileSchema, READ_NOW, scanJsonSteps } from "@touchstone/core";
import { expect, it, vi } from "vitest";
import { createJudge } from "./judge.ts";
import { inTurns } from "./verdict.ts";

it("runs every check of a large schema on threads", async () => {
  const later = vi.fn<CheckLater>(async ({ schema, input, options }) =>
    compileSchema({ text: schema }).check(input, options),
  );
  const bounds = { maxBytes: 1_000, maxDepth: 64, maxIssues: 10, paths: "field" } as const;
  const judge = createJudge({ ...bounds, checks: undefined, report: () => {} }, later);
  const properties = { city: { type: "string", format: "town", $comment: "x".repeat(READ_NOW) } };
  const tool = { name: "forecast", inputSchema: { properties } };
  const text = new TextEncoder().encode('{"city":5}');
  const scan = await inTurns(scanJsonSteps(text, {}));
  for (const times of [1, 2]) {
    expect((await judge(tool, text, scan)).errors).toMatchObject([{ path: "/city" }]);
    expect(later).toHaveBeenCalledTimes(times);
  }
  const { schemaWarnings } = await judge(tool, text, scan);
  expect(schemaWarnings()).toMatchObject([{ message: expect.stringContaining("town") }]);
});
