import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../../gateway/src/config/load.ts";
import {
  type AdminGateway,
  startAdminGateway,
} from "../../../gateway/src/server/admin/testing/admin-gateway.ts";
import { TOOLS_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { run } from "./testing/run.ts";

const CLOSED = {
  type: "object",
  properties: { n: { type: "integer" }, deep: { type: "object" } },
  additionalProperties: false,
} as const;
const OPEN = { type: "object", properties: { n: { type: "integer" } } } as const;
const input = (input_validation: object) => ({ input_validation });

const SAFE = "safe: 1 checked, 0 would be blocked";
const OTHER = "not checked: 1 call (with other settings: 1)";

interface Row {
  readonly tool: string;
  readonly schema?: object;
  readonly args: object;
  readonly before: object;
  readonly after: object;
  /** The expected state of the arguments with the later settings. */
  readonly state: string;
}

/** Each tool is called once with the earlier settings, and the check finds nothing. */
const ROWS: readonly Row[] = [
  ...(
    [
      ["ignored", input({ rules: { extra: "ignore" } }), {}, OTHER],
      ["ignored_place", input({ rules: { "/zz": "ignore" } }), {}, OTHER],
      ["still_ignored", input({ rules: { extra: "ignore" } }), "same", SAFE],
      [
        "ignored_less",
        input({ rules: { "/**": "ignore" } }),
        input({ rules: { "/a": "ignore" } }),
        OTHER,
      ],
    ] as const
  ).map(([tool, before, after, state]) => ({
    ...{ tool, args: { zz: 1 }, before, after: after === "same" ? before : after, state },
  })),
  ...(
    [
      ["undeclared", {}, input({ undeclared: "violation" }), OTHER],
      ["undeclared_off", input({ undeclared: "warning" }), {}, SAFE],
      [
        "undeclared_deeper",
        input({ undeclared: "warning" }),
        input({ undeclared: "warning", undeclared_at: "deep" }),
        OTHER,
      ],
      [
        "undeclared_heavier",
        input({ undeclared: "warning" }),
        input({ undeclared: "violation" }),
        OTHER,
      ],
      ["smaller", {}, input({ max_bytes: 8 }), OTHER],
      ["larger", {}, input({ max_bytes: 9_000_000 }), SAFE],
      ["flatter", {}, input({ max_depth: 1 }), OTHER],
      ["more_ignored", {}, input({ rules: { type: "ignore" } }), SAFE],
      ["warned", input({ rules: { type: "warning" } }), {}, SAFE],
      ["stricter", {}, input({ mode: "strict" }), "strict already: blocks 0 of 1 checked"],
    ] as const
  ).map(([tool, before, after, state]) => ({
    ...{ tool, schema: OPEN, args: { n: 1 }, before, after, state },
  })),
  ...(
    [
      ["unrepaired", {}, OTHER],
      ["still_repaired", input({ repair: ["coerce-scalars"] }), SAFE],
      ["repaired_otherwise", input({ repair: ["drop-nulls"] }), OTHER],
    ] as const
  ).map(([tool, after, state]) => ({
    ...{ tool, args: { n: "1" }, before: input({ repair: ["safe"] }), after, state },
  })),
];

function configWith(part: "before" | "after"): string {
  const plan = {
    tools: ROWS.map(({ tool, schema = CLOSED }) => ({ name: tool, inputSchema: schema })),
  };
  const entry = { command: process.execPath, args: [TOOLS_SERVER, JSON.stringify(plan)] };
  const tools = Object.fromEntries(ROWS.map((row) => [row.tool, row[part]]));
  return JSON.stringify({ mcpServers: { s: { ...entry, touchstone: { tools } } } });
}

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway(configWith("before"));
  const url = gateway.url("s");
  const headers = await initialize(url);
  for (const [index, { tool, args }] of ROWS.entries()) {
    await post(url, request(index, "tools/call", { name: tool, arguments: args }), headers);
  }
}, 60_000);
afterAll(() => gateway.close());

const rollout = (...args: readonly string[]) =>
  run(["rollout", "--data-dir", gateway.dataDir, ...args]);

/** Returns the state of the arguments of each tool. */
const statesIn = (text: string) =>
  JSON.parse(text).tools.map(({ tool, input }: { tool: string; input: { text: string } }) => [
    tool,
    input.text,
  ]);

describe("calls that were checked with other settings", () => {
  it("count for the settings of their time", async () => {
    const { stdout } = await rollout("-o", "json");
    const states = statesIn(stdout);
    expect(states).toHaveLength(ROWS.length);
    for (const [tool, text] of states) expect([tool, text]).toEqual([tool, SAFE]);
  });

  it("are evidence for a file only if they looked for all that it looks for", async () => {
    const file = join(gateway.dataDir, "after.json");
    writeFileSync(file, configWith("after"));
    const { stdout } = await rollout("--config", file, "-o", "json");
    const wanted = ROWS.map(({ tool, state }) => [tool, tool === "stricter" ? SAFE : state]).sort();
    expect(statesIn(stdout).sort()).toEqual(wanted);
    const { other_settings, not_checked } = JSON.parse(stdout);
    const others = ROWS.filter(({ state }) => state === OTHER).length;
    // The protocol check of each call gave the same result.
    expect([other_settings, not_checked]).toEqual([others, 0]);
    const text = (await rollout("--config", file)).stdout;
    expect(text).toContain(`; checked with other settings: ${others} calls\n`);
    expect(text.split(`arguments  ${OTHER}`)).toHaveLength(others + 1);
    expect(await rollout("--config", file, "--fail-on", "blocked")).toMatchObject({ code: 3 });
  });

  it("are evidence for a running gateway only if they looked for all that it looks for now", async () => {
    gateway.write(configWith("after"));
    await gateway.gateway.reload(parseConfig(configWith("after"), { file: gateway.file, env: {} }));
    const { body } = await gateway.get("activity/rollout");
    expect(statesIn(JSON.stringify(body)).sort()).toEqual(
      ROWS.map(({ tool, state }) => [tool, state]).sort(),
    );
  });

  it("are not evidence without a file, once a newer call was checked with others", async () => {
    const url = gateway.url("s");
    const headers = await initialize(url);
    const calls = ROWS.filter(({ state }) => state === OTHER);
    for (const [index, { tool }] of calls.entries()) {
      await post(url, request(index, "tools/call", { name: tool, arguments: {} }), headers);
    }
    const { stdout } = await rollout("-o", "json");
    const states = new Map<string, string>(statesIn(stdout));
    for (const { tool, before } of calls) {
      if ("input_validation" in before && "repair" in (before.input_validation as object)) continue;
      expect([tool, states.get(tool)]).toEqual([tool, `${SAFE}; ${OTHER}`]);
    }
    const text = (await rollout()).stdout;
    expect(text).toContain("\nnot compared: policy, narrow, keys and limits; --config FILE");
  });
});
