import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { serverTable } from "./serve-table.ts";

const modes = { input: "warn", output: "warn", protocol: "warn" } as const;
const url = (name: string): string => `http://127.0.0.1:7411/mcp/${name}`;
const SERVERS: Parameters<typeof serverTable>[0] = [
  {
    server: "github",
    outcome: "reached",
    revision: "2026-07-28",
    bridge: "auto",
    tools: 12,
    unusable: { blocked: 0, unchecked: 0 },
    modes,
    url: url("github"),
  },
  {
    ...{ server: "a-server-with-a-very-long-name-indeed", outcome: "reached", tools: 1 },
    unusable: { blocked: 1, unchecked: 0 },
    ...{ modes: { ...modes, input: "strict" }, url: url("long") },
  },
  {
    ...{ server: "broken", outcome: "failed", modes, url: url("broken") },
    reason: `the server exited with code 1; its last words on stderr: \u001b[2J${"x".repeat(200)}`,
  },
  { server: "slow", outcome: "late", modes, url: url("slow") },
];
const lines = (width: number | undefined): string[] =>
  serverTable(SERVERS, { width, colour: false }).trimEnd().split("\n");

describe("the table of servers", () => {
  it.each([80, 100, 140])("fits a terminal of %i columns and keeps the important ones", (width) => {
    const shown = lines(width);
    expect(shown).toHaveLength(5);
    for (const line of shown) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(shown[1]).toMatch(/^✓ {2}github .* 12 .*http/);
    expect(shown[3]).toMatch(/^✗ {2}broken .*the server exi/);
    expect(shown[4]).toMatch(/^… {2}slow .*no answer yet$/);
  });

  it("prints everything in a pipe, without control characters", () => {
    const shown = lines(undefined);
    expect(shown[0]?.trim().split(/ {2,}/)).toEqual([
      ...[
        "SERVER",
        "MCP",
        "BRIDGE",
        "TOOLS",
        "BLOCKED",
        "UNCHECKED",
        "MODE",
        "URL, OR WHAT IS WRONG",
      ],
    ]);
    expect(shown[1]).toMatch(/^✓ {2}github +2026-07-28 +auto +12 /);
    expect(shown[3]).toMatch(/^✗ {2}broken +– +–/);
    expect(shown[2]).toContain("strict/warn/warn  http://127.0.0.1:7411/mcp/long");
    expect(shown[3]).toContain(`\\u{1b}[2J${"x".repeat(200)}`);
    expect(shown.join("")).not.toContain("\u001b");
  });

  it("colors the marks on a terminal", () => {
    const [, works, , fails] = serverTable(SERVERS, { width: 100, colour: true }).split("\n");
    expect(works).toContain("\u001b[32m✓");
    expect(fails).toContain("\u001b[31m✗");
  });
});
