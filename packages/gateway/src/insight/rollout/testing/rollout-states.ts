import type { AdminGateway } from "../../../server/admin/testing/admin-gateway.ts";
import { TOOLS_SERVER } from "../../../testing/fixtures.ts";
import { initialize, post, request } from "../../../testing/http.ts";

const NUMBER = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const NONE = "cannot be checked: the tool declares no output schema";
const safe = (calls: number): string => `safe: ${calls} checked, 0 would be blocked`;
const GOOD = { n: 1 };
const BAD = { n: "x" };

interface Row {
  readonly tool: string;
  /** What the configuration sets for the tool. */
  readonly settings?: object;
  readonly input?: object;
  readonly output?: object;
  /** Default: the arguments. */
  readonly result?: object;
  readonly calls: readonly object[];
  /** For arguments, results and protocol. */
  readonly states: readonly [input: string, output: string, protocol: string];
}

const mode = (mode: string) => ({
  input_validation: { mode },
  output_validation: { mode },
  protocol_validation: { mode },
});
const failed = { isError: true, content: [{ type: "text", text: "it failed" }] };

/** Each state, made by calls of a tool through a gateway. */
const ROWS: readonly Row[] = [
  { tool: "fine", calls: [GOOD, GOOD], output: NUMBER, states: [safe(2), safe(2), safe(2)] },
  { tool: "plain", calls: [GOOD], states: [safe(1), NONE, safe(1)] },
  { tool: "bad", calls: [BAD, GOOD], states: ["would block 1 of 2", NONE, safe(2)] },
  {
    tool: "off",
    settings: mode("off"),
    calls: [BAD, BAD, BAD],
    states: Array(3).fill("not checked: 3 calls") as unknown as Row["states"],
  },
  {
    tool: "input_off",
    settings: { input_validation: { mode: "off" } },
    output: NUMBER,
    calls: [GOOD],
    states: ["not checked: 1 call", safe(1), safe(1)],
  },
  {
    tool: "strict",
    settings: mode("strict"),
    output: NUMBER,
    calls: [BAD, BAD, GOOD],
    states: [
      "strict already: blocks 2 of 3 checked",
      "strict already: blocks 0 of 1 checked; not checked: 2 calls",
      "strict already: blocks 0 of 1 checked; not checked: 2 calls",
    ],
  },
  {
    tool: "half",
    settings: { input_validation: { mode: "strict" } },
    output: NUMBER,
    calls: [BAD, BAD],
    states: [
      "strict already: blocks 2 of 2 checked",
      "not checked: 2 calls",
      "not checked: 2 calls",
    ],
  },
  {
    tool: "repaired",
    settings: { input_validation: { repair: ["safe"] } },
    output: NUMBER,
    result: { structuredContent: BAD, content: [] },
    calls: [{ n: "1" }],
    states: [safe(1), "would block 1 of 1", safe(1)],
  },
  {
    tool: "narrowed",
    settings: { narrow: { properties: { n: { maximum: 3 } } } },
    calls: [{ n: 9 }],
    states: [safe(1), NONE, safe(1)],
  },
  { tool: "denied", calls: [GOOD], states: [safe(1), NONE, safe(1)] },
  {
    tool: "broken_input",
    input: { type: "object", properties: { n: { pattern: "(" } } },
    calls: [GOOD],
    states: [
      "cannot be checked: the input schema cannot be used; would block 1 call",
      NONE,
      safe(1),
    ],
  },
  {
    tool: "broken_output",
    output: { type: "object", properties: { n: { pattern: "(" } } },
    calls: [GOOD],
    states: [safe(1), "cannot be checked: the output schema cannot be used", safe(1)],
  },
  {
    tool: "allows_broken",
    settings: { input_validation: { on_invalid_schema: "allow" } },
    input: { type: "object", properties: { n: { pattern: "(" } } },
    calls: [GOOD],
    states: ["cannot be checked: the input schema cannot be used", NONE, safe(1)],
  },
  {
    tool: "external_output",
    output: { type: "object", $ref: "https://example.com/s.json" },
    calls: [GOOD],
    states: [
      safe(1),
      "cannot be checked: the output schema cannot be used; would block 1 call",
      safe(1),
    ],
  },
  {
    tool: "allows_external",
    settings: { output_validation: { on_invalid_schema: "allow" } },
    output: { type: "object", $ref: "https://example.com/s.json" },
    calls: [GOOD],
    states: [safe(1), "cannot be checked: the output schema cannot be used", safe(1)],
  },
  {
    tool: "failing",
    output: NUMBER,
    result: failed,
    calls: [GOOD],
    states: [safe(1), "not checked: 1 call", safe(1)],
  },
  {
    tool: "missing",
    output: NUMBER,
    result: { content: [{ type: "text", text: "no structure" }] },
    calls: [GOOD],
    states: [safe(1), safe(1), safe(1)],
  },
  {
    tool: "blocks_missing",
    settings: { output_validation: { missing_structured_content: "block" } },
    output: NUMBER,
    result: { content: [{ type: "text", text: "no structure" }] },
    calls: [GOOD],
    states: [safe(1), "would block 1 of 1", safe(1)],
  },
  {
    tool: "excused",
    settings: { input_validation: { rules: { "/n": "warning" } } },
    calls: [BAD],
    states: [safe(1), NONE, safe(1)],
  },
  {
    tool: "limited",
    settings: { limits: { calls_per_minute: 1 } },
    calls: [GOOD, GOOD],
    states: [`${safe(1)}; not checked: 1 call`, NONE, `${safe(1)}; not checked: 1 call`],
  },
  {
    tool: "unused",
    calls: [],
    states: Array(3).fill("not checked: 0 calls") as unknown as Row["states"],
  },
];

/** A tool that is called, and that the server does not list. */
const GONE = "no_such_tool";

/** The text of a `touchstone.json` with one server, `s`, that has a tool for each state. */
export function rolloutConfig(): string {
  const plan = {
    tools: ROWS.map(({ tool, input = NUMBER, output }) => ({
      name: tool,
      inputSchema: input,
      ...(output && { outputSchema: output }),
    })),
    results: Object.fromEntries(
      ROWS.flatMap(({ tool, result }) => (result === undefined ? [] : [[tool, result]])),
    ),
  };
  const tools = Object.fromEntries(ROWS.map(({ tool, settings = {} }) => [tool, settings]));
  const entry = { command: process.execPath, args: [TOOLS_SERVER, JSON.stringify(plan)] };
  return JSON.stringify({
    policy: { mode: "warn", deny_tools: ["denied"] },
    mcpServers: { s: { ...entry, touchstone: { tools } } },
  });
}

/** Calls the tools of {@link rolloutConfig} through a gateway. */
export async function callRolloutTools(gateway: Pick<AdminGateway, "url">): Promise<void> {
  const url = gateway.url("s");
  const headers = await initialize(url);
  await post(url, request("list", "tools/list"), headers);
  const calls = ROWS.flatMap(({ tool, calls }) => calls.map((args) => [tool, args] as const));
  for (const [index, [name, args]] of [...calls, [GONE, GOOD] as const].entries()) {
    await post(url, request(index, "tools/call", { name, arguments: args }), headers);
  }
}

/** The states for arguments, results and protocol that records of these calls show, by tool. */
export const ROLLOUT_STATES_SEEN: ReadonlyMap<string, readonly string[]> = new Map([
  ...ROWS.map(({ tool, states }) => [tool, states] as const),
  [GONE, ["no such tool", "no such tool", "no such tool"]] as const,
]);

/** Returns the states as people see them: once if all are the same. */
export function shownStates(states: readonly string[]): readonly string[] {
  return new Set(states).size === 1 ? states.slice(0, 1) : states;
}
