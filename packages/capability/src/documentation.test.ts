import { readFileSync } from "node:fs";
import { compileSchema } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { gatewayCapability } from "./gateway/announce.ts";
import { capabilityOf } from "./server/capability.ts";
import { readOptions } from "./server/options.ts";
import { verdictOf } from "./verdict.ts";

const page = readFileSync(
  new URL("../../../docs/reference/tool-validation-capability.md", import.meta.url),
  "utf8",
);
const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) =>
  JSON.parse(text ?? ""),
);
const [example, announcement, input, verdict] = blocks;

describe("docs/reference/tool-validation-capability.md", () => {
  it("has schemas that match announcements, requests and responses", () => {
    expect(blocks).toHaveLength(4);
    const announced = compileSchema({ value: announcement });
    const served = readOptions({ caching: { ttl: 5 }, levels: { runtime: () => undefined } });
    for (const capability of [
      example.capabilities.experimental.toolValidation,
      gatewayCapability({ maxBatchSize: 3 }),
      capabilityOf(served, "validate", { tools: { listChanged: true } }),
    ]) {
      expect(announced.checkValue(capability).errors).toEqual([]);
    }
    expect(announced.checkValue({ supported: false }).valid).toBe(false);
    const asked = compileSchema({ value: input });
    expect(asked.checkValue({ tool: "a", arguments: {}, levels: ["semantic"] }).valid).toBe(true);
    expect(asked.checkValue({ calls: [{ tool: "a" }] }).valid).toBe(false);
    const answered = compileSchema({ value: verdict });
    const issue = { level: "runtime", severity: "error", path: "/a", message: "no" } as const;
    const levelsNotRun = [{ level: "security", reason: "timeout" } as const];
    const written = verdictOf({ issues: [issue], suggestions: ["s"], levelsNotRun, more: 2 });
    expect(answered.checkValue(written).errors).toEqual([]);
    expect(answered.checkValue({ valid: true }).valid).toBe(false);
  });
});
