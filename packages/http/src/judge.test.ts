import {
  type CheckLater,
  compileDeclared,
  MAX_SYNC_SCHEMA_BYTES,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { expect, it, vi } from "vitest";
import { runInTurns } from "./check-response.ts";
import { createJudge } from "./judge.ts";

it("runs every check of a large schema on threads", async () => {
  const later = vi.fn<CheckLater>(async ({ schema, input, options }) =>
    compileDeclared({ text: schema }).validateText(input, options),
  );
  const bounds = { maxBytes: 1_000, maxDepth: 64, maxIssues: 10, paths: "field" } as const;
  const judge = createJudge({ ...bounds, checks: undefined, report: () => {} }, later);
  const properties = {
    city: { type: "string", format: "town", $comment: "x".repeat(MAX_SYNC_SCHEMA_BYTES) },
  };
  const tool = { name: "forecast", inputSchema: { properties } };
  const text = new TextEncoder().encode('{"city":5}');
  const scan = await runInTurns(scanJsonSteps(text, {}));
  for (const times of [1, 2]) {
    expect((await judge(tool, text, scan)).errors).toMatchObject([{ path: "/city" }]);
    expect(later).toHaveBeenCalledTimes(times);
  }
  const { schemaWarnings } = await judge(tool, text, scan);
  expect(schemaWarnings()).toMatchObject([{ message: expect.stringContaining("town") }]);
});
