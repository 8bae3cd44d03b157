import { readFileSync } from "node:fs";
import { compileDeclared } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { gatewayCapability } from "./gateway/announce.ts";
import { capabilityOf } from "./server/capability.ts";
import { readOptions } from "./server/options.ts";
import { writeVerdict } from "./validation-result.ts";

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
    const announced = compileDeclared({ value: announcement });
    const served = readOptions({ caching: { ttl: 5 }, levels: { runtime: () => undefined } });
    for (const capability of [
      example.capabilities.experimental.toolValidation,
      gatewayCapability({ maxBatchSize: 3 }),
      capabilityOf(served, "validate", { tools: { listChanged: true } }),
    ]) {
      expect(announced.validate(capability).errors).toEqual([]);
    }
    expect(announced.validate({ supported: false }).valid).toBe(false);
    const asked = compileDeclared({ value: input });
    expect(asked.validate({ tool: "a", arguments: {}, levels: ["semantic"] }).valid).toBe(true);
    expect(asked.validate({ calls: [{ tool: "a" }] }).valid).toBe(false);
    const answered = compileDeclared({ value: verdict });
    const issue = { level: "runtime", severity: "error", path: "/a", message: "no" } as const;
    const levelsNotRun = [{ level: "security", reason: "timeout" } as const];
    const written = writeVerdict({ issues: [issue], suggestions: ["s"], levelsNotRun, more: 2 });
    expect(answered.validate(written).errors).toEqual([]);
    expect(answered.validate({ valid: true }).valid).toBe(false);
  });
});
