import type { ReachResult } from "@touchstone/gateway/serve";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { recorded, run } from "./activity/testing/run.ts";
import { serverTable } from "./serve/serve-table.ts";
import { toolTable } from "./tools/text.ts";

const LONG = "名前".repeat(30);
const REASON = "/city must be a string; it is an integer: ".repeat(8);

/** Each table, rendered for a terminal of a given width, with names and reasons that exceed any width. */
const TABLES: Readonly<Record<string, (width: number) => Promise<string> | string>> = {
  "activity list": async (columns) => {
    const { dataDir } = await recorded([
      ...["success", "blocked", "warning"].map((status) => ({
        ...({ type: "tool_call", source: "gateway", server: "files", tool: "read_file" } as const),
        status: status as "success",
        reason: REASON,
      })),
      { type: "tool_call", source: "gateway", server: LONG, tool: LONG, status: "error" },
      { type: "system_stop", source: "gateway" },
    ]);
    return (await run(["list", "--data-dir", dataDir], { columns, env: { NO_COLOR: "1" } })).stdout;
  },
  "activity summary": async (columns) => {
    const { dataDir } = await recorded([
      { type: "tool_call", source: "gateway", server: LONG, tool: LONG, status: "success" },
    ]);
    const args = ["summary", "--period", "9999d", "--data-dir", dataDir];
    return (await run(args, { columns, env: { NO_COLOR: "1" } })).stdout;
  },
  "rules in activity summary": async (columns) => {
    const { dataDir } = await recorded([
      {
        ...({ type: "policy_decision", source: "gateway", server: LONG, tool: LONG } as const),
        ...({
          direction: "output",
          decision: "blocked",
          issues: [{ path: "", message: REASON, rule: "extra" }],
        } as const),
      },
    ]);
    const args = ["summary", "--period", "9999d", "--data-dir", dataDir];
    const { stdout } = await run(args, { columns, env: { NO_COLOR: "1" } });
    return stdout.slice(stdout.indexOf("SERVER"));
  },
  "activity repairs": async (columns) => {
    const { dataDir } = await recorded([
      {
        ...({ type: "policy_decision", source: "gateway", server: LONG, tool: LONG } as const),
        ...({ decision: "repaired", repairs: `coerce-scalars at /${LONG}` } as const),
      },
    ]);
    const { stdout } = await run(["repairs", "--data-dir", dataDir], { columns });
    return stdout.slice(stdout.indexOf("SERVER"), stdout.indexOf("\n\ncoerce"));
  },
  tools: (width) => {
    const tools = [
      { name: LONG, description: REASON, inputSchema: { properties: { [LONG]: {} } } },
    ];
    return toolTable([{ server: LONG, tools }], {
      width,
      isWide: false,
      colour: false,
      withServer: true,
    });
  },
  serve: (width) => {
    const modes = { input: "strict", output: "warn", protocol: "off" } as const;
    const url = "http://127.0.0.1:7411/mcp/files";
    const server = { server: LONG, outcome: "failed", reason: REASON, modes, url };
    return serverTable([server as ReachResult], { width, colour: false });
  },
};

describe.each(Object.entries(TABLES))("the table of %s", (_, render) => {
  it.each([80, 100, 140])("fits %i columns", async (width) => {
    const text = await render(width);
    expect(text).toContain("…");
    const long = text.split("\n").filter((line) => stringWidth(line) > width);
    expect(long).toEqual([]);
  });
});

it.each([80, 100, 140])("lists when, id, who, status and reason at %i columns", async (width) => {
  const text = (await TABLES["activity list"]?.(width)) ?? "";
  const [titles = "", ...lines] = text.split("\n");
  for (const title of ["WHEN", "ID", "SERVER/TOOL", "STATUS", "REASON"]) {
    expect(titles).toContain(title);
  }
  expect(lines.find((line) => line.includes("blocked"))).toMatch(
    /^\dh ago +\w+ +files\/read_file +blocked +\/city must be a .*…$/,
  );
});
