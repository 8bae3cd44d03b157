import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import type { PolicySettings } from "../features/policy/policy.ts";
import type { ToolRules } from "../features/tool-lists/tool-rules.ts";
import type { MessageOutput } from "./pipeline.ts";
import {
  all,
  call,
  Harness,
  type HarnessOptions,
  LEGACY,
  MODERN,
  modes,
  parse,
  toolResult,
} from "./testing/harness.ts";

const policyOf = (
  rules: Omit<ToolRules, "level">,
  mode: PolicySettings["mode"] = "strict",
): PolicySettings => ({ mode, levels: [{ ...rules, level: "server" }] });
const withPolicy = (rules: Omit<ToolRules, "level">, mode?: PolicySettings["mode"]) => ({
  ...modes(),
  policy: policyOf(rules, mode),
});

const READ = { name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const DROP = { name: "drop", inputSchema: { type: "object", required: ["a"] } };
const DENIED = { denyTools: ["drop"] };

async function listed(
  options: HarnessOptions = {},
  tools: readonly object[] = [READ, DROP],
): Promise<Harness> {
  const h = new Harness({ settings: withPolicy(DENIED), ...options });
  await h.list(tools);
  return h;
}
const sent = ({ onward }: MessageOutput): string | undefined =>
  onward === undefined ? undefined : Buffer.from(onward).toString();
const answer = ({ back = [] }: MessageOutput): unknown => back.map((bytes) => parse(bytes))[0];

describe.each([LEGACY, MODERN])("a call that policy does not allow, in %s", (revision) => {
  it.each<[Omit<ToolRules, "level">, string]>([
    [{ denyTools: ["drop"] }, "deny_tools"],
    [{ denyTools: ["d*"] }, "deny_tools"],
    [{ allowTools: ["read"] }, "allow_tools"],
    [{ readOnly: true }, "read_only"],
  ])("%j is answered like an unknown tool, and recorded with %s", async (rules, keyword) => {
    const h = await listed({ settings: withPolicy(rules), revision });
    const passage = await h.client(call(1, "drop", "{}", "", revision));
    expect(sent(passage)).toBeUndefined();
    expect(answer(passage)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: "Unknown tool: drop" },
    });
    expect(h.records("policy_decision")).toMatchObject([
      {
        ...{ direction: "input", mode: "strict", decision: "blocked", outcome: "violation" },
        ...{ tool: "drop", response_text: "Unknown tool: drop" },
        issues: [{ path: "/params/name", rule: "policy", keyword }],
      },
    ]);
    expect(h.records("tool_call")).toMatchObject([
      { tool: "drop", status: "denied", decision: "blocked", direction: "input" },
    ]);
    const others = await h.client(call(2, "read", "{}", "", revision));
    expect(sent(others)).toBe(call(2, "read", "{}", "", revision));
  });

  it("is answered exactly like a call of a tool that does not exist", async () => {
    const strict = all("strict");
    const h = await listed({ settings: { ...strict, policy: policyOf(DENIED) }, revision });
    const denied = answer(await h.client(call(1, "drop", "{}", "", revision)));
    const missing = answer(await h.client(call(1, "gone", "{}", "", revision)));
    expect(JSON.stringify(denied).replaceAll("drop", "gone")).toBe(JSON.stringify(missing));
  });

  it("is forwarded in warn, with one record for the issues of all checks", async () => {
    const h = await listed({ settings: withPolicy(DENIED, "warn"), revision });
    const text = call(1, "drop", "{}", "", revision);
    expect(sent(await h.client(text))).toBe(text);
    await h.server(toolResult(1, "", revision));
    expect(h.records("policy_decision")).toMatchObject([
      {
        ...{ direction: "input", decision: "warning", mode: "warn" },
        issues: [{ rule: "policy", keyword: "deny_tools" }, { rule: "required" }],
      },
    ]);
    expect(h.records("tool_call")).toMatchObject([{ status: "warning" }]);
  });

  it("has one record if policy warns and the schema blocks", async () => {
    const settings = { ...all("strict"), policy: policyOf(DENIED, "warn") };
    const h = await listed({ settings, revision });
    expect(sent(await h.client(call(1, "drop", "{}", "", revision)))).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([
      {
        ...{ decision: "blocked", mode: "strict", status: "blocked" },
        reason: expect.stringMatching(/^\/a is required; .*policy does not allow/),
        issues: [{ rule: "required" }, { rule: "policy" }],
        response_text: expect.stringContaining("drop"),
      },
    ]);
  });

  it("is forwarded in off, without a record", async () => {
    const h = await listed({ settings: withPolicy(DENIED, "off"), revision });
    expect(sent(await h.client(call(1, "drop", '{"a":1}', "", revision)))).toBeDefined();
    expect(h.records("policy_decision")).toEqual([]);
  });
});

const params = (text: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${text}}`;
const message = (members: string): string => `{"jsonrpc":"2.0",${members}}`;
const DROPPED = '"params":{"name":"drop","arguments":{}}';

describe("a denied tool", () => {
  it.each([
    ["as it is", params('{"name":"drop","arguments":{"a":1}}')],
    ["as a task", params('{"name":"drop","arguments":{"a":1},"task":{"ttl":1}}')],
    ["without an id", message(`"method":"tools/call",${DROPPED}`)],
    ["with an id that is null", message(`"id":null,"method":"tools/call",${DROPPED}`)],
    ["in another case", params('{"name":"DROP"}')],
    ["with escapes", params('{"name":"\\u0064ro\\u0070"}')],
    ["with an escaped method", message(`"id":1,"method":"tools\\/c\\u0061ll",${DROPPED}`)],
    ["with escaped keys", message(`"id":1,"m\\u0065thod":"tools/call",${DROPPED}`)],
    ["with an escaped key of its name", params('{"n\\u0061me":"drop"}')],
    ["in full width", params('{"name":"ｄｒｏｐ"}')],
    ["with a zero-width space", params('{"name":"dr\u200bop"}')],
    ["with an escaped zero-width space", params('{"name":"dr\\u200bop"}')],
    ["with a space", params('{"name":"drop "}')],
    ["with a NUL", params('{"name":"drop\\u0000"}')],
    ["as a list", params('{"name":["drop"]}')],
    ["as an object", params('{"name":{"drop":1}}')],
    ["as null, for servers with one tool", params('{"name":null}')],
    ["without a name", params("{}")],
    ["in params that are a list", params('["drop"]')],
    ["twice, denied first", params('{"name":"drop","name":"read"}')],
    ["twice, denied last", params('{"name":"read","name":"drop"}')],
    ["twice, one key escaped", params('{"n\\u0061me":"drop","name":"read"}')],
    ["twice, one key in another case", params('{"Name":"drop","name":"read"}')],
    ["in another case only", params('{"NAME":"drop"}')],
    [
      "with params twice",
      message(`"id":1,"method":"tools/call",${DROPPED},"params":{"name":"read"}`),
    ],
    [
      "with params in another case",
      message(`"id":1,"method":"tools/call","Params":{"name":"drop"},"params":{"name":"read"}`),
    ],
    ["with the method twice", message(`"id":1,"method":"tools/call","method":"ping",${DROPPED}`)],
    [
      "with the method in another case too",
      message(`"id":1,"method":"ping","Method":"tools/call",${DROPPED}`),
    ],
    ["with the method's key in another case", message(`"id":1,"METHOD":"tools/call",${DROPPED}`)],
    ["in a response", message(`"id":1,"result":{},"Method":"tools/call",${DROPPED}`)],
    ["by a method in another case", message(`"id":1,"method":"Tools/Call",${DROPPED}`)],
    ["by a method with a space", message(`"id":1,"method":"tools/call ",${DROPPED}`)],
    [
      "by a method with many spaces",
      message(`"id":1,"method":"tools/call${" ".repeat(5000)}",${DROPPED}`),
    ],
    ["by a method with a NUL", message(`"id":1,"method":"tools/call\\u0000x",${DROPPED}`)],
    ["by a method in full width", message(`"id":1,"method":"ｔools/call",${DROPPED}`)],
    [
      "by an escaped solidus of full width",
      message(`"id":1,"method":"tools\uff0fcall",${DROPPED}`),
    ],
    ["in a batch", `[${params('{"name":"drop"}')}]`],
    [
      "in a batch with others",
      `[${params('{"name":"read"}').replace("1,", "7,")},${params('{"name":"drop"}')}]`,
    ],
    ["in a batch in a batch", `[[${params('{"name":"drop"}')}]]`],
    ["with a byte order mark", `\ufeff${params('{"name":"drop"}')}`],
    ["after white space", ` \n\t${params('{"name":"drop"}')}\r\n`],
    ["after another text", `{}${params('{"name":"drop"}')}`],
    ["by a Turkish i", params('{"name":"pr\u0131nt"}')],
    ["by a sharp s", params('{"name":"pre\u00df"}')],
    ["by a capital sharp s", params('{"name":"PRE\u1e9e"}')],
    ["by a lone surrogate", params('{"name":"dr\\ud800op"}')],
    ["by a method in a list", message(`"id":1,"method":["tools/call"],${DROPPED}`)],
    ["in a message with a result", message(`"id":1,"method":"tools/call","result":{},${DROPPED}`)],
    ["with an id that is an object", message(`"id":{},"method":"tools/call",${DROPPED}`)],
    ["with a comment", message(`"id":1,/**/"method":"tools/call",${DROPPED}`)],
  ])("is never called: %s", async (_, text) => {
    for (const rules of [
      { denyTools: ["drop", "print", "press"] },
      { allowTools: ["read"] },
      { readOnly: true },
    ]) {
      for (const protocol of ["off", "warn", "strict"] as const) {
        const settings = { ...modes({ protocol }), policy: policyOf(rules) };
        const h = await listed({ settings, revision: "2025-03-26" });
        const { onward } = await h.client(
          readFrame(Buffer.from(text)).kind === "batch" ? text : text,
        );
        expect(
          Buffer.from(onward ?? [])
            .toString()
            .toLowerCase()
            .normalize("NFKC"),
        ).not.toMatch(/dr\u200b?op|dr.ud800op|pr\u0131nt|pre\u00df/);
        expect(h.records("tool_call").every(({ status }) => status !== "success")).toBe(true);
      }
    }
  });

  it("is never called through a header that names another tool", async () => {
    const h = await listed();
    const transport = {
      code: -32020,
      message: "the header Mcp-Name does not say what the body says",
    };
    const frame = h.read(call(1, "read", "{}"));
    const { passage } = await h.pipeline.fromClient(frame, { transport });
    expect(answer(await passage)).toMatchObject({ error: { code: -32020 } });
    expect(sent(await passage)).toBeUndefined();
  });
});

describe("an allowed call", () => {
  it.each([
    call(1, "read", '{"name":"drop"}'),
    params('{"name":"read","arguments":{"name":"drop","Name":"drop","method":"tools/call"}}'),
    params('{"name":"read","_meta":{"name":"drop"}}'),
    message('"id":1,"method":"prompts/get","params":{"name":"drop"}'),
    message('"id":1,"method":"tools/list"'),
    message('"method":"notifications/x","params":{"name":"drop"}'),
    '{"jsonrpc":"2.0","id":5,"result":{"name":"drop"}}',
  ])("is forwarded unchanged: %s", async (text) => {
    const h = await listed();
    expect(sent(await h.client(text))).toBe(text);
  });
});

describe("a server that has not listed its tools", () => {
  it("is not asked for its list to refuse a call by name", async () => {
    const h = new Harness({ settings: withPolicy(DENIED) });
    expect(answer(await h.client(call(1, "drop", "{}")))).toHaveProperty("error.code", -32602);
    expect(h.asked).toEqual([]);
  });

  it("is asked for its list before a call under read_only", async () => {
    const settings = { ...all("off"), policy: policyOf({ readOnly: true }) };
    const h = new Harness({ settings });
    h.ask = async () =>
      Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [READ, DROP] } }));
    expect(sent(await h.client(call(1, "read", "{}")))).toBeDefined();
    expect(sent(await h.client(call(2, "drop", "{}")))).toBeUndefined();
    expect(h.asked.map(({ method }) => method)).toEqual(["tools/list"]);
  });

  it("gets no call if it still lists nothing when asked, and the client learns why", async () => {
    const h = new Harness({ settings: withPolicy({ readOnly: true }) });
    const passage = await h.client(call(1, "read", "{}"));
    expect(sent(passage)).toBeUndefined();
    expect(answer(passage)).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(answer(passage))).toContain("List the tools and call again");
    expect(h.records("policy_decision")).toMatchObject([{ issues: [{ keyword: "read_only" }] }]);
  });

  it("is checked by a changed hint even if the schemas did not change", async () => {
    const h = await listed({ settings: withPolicy({ readOnly: true }) });
    await h.list([{ ...READ, annotations: { readOnlyHint: false } }, DROP]);
    expect(sent(await h.client(call(1, "read", "{}")))).toBeUndefined();
  });
});

describe("a caller's own rules", () => {
  it("apply to lists and calls in addition to the server's", async () => {
    const h = new Harness({ settings: modes() });
    h.pipeline.conversation.caller = { name: "ci", policy: { allowTools: ["read"] } };
    const { onward } = await h.list([READ, DROP]);
    expect(parse(onward)).toMatchObject({ result: { tools: [{ name: "read" }] } });
    expect(sent(await h.client(call(1, "drop", '{"a":1}')))).toBeUndefined();
    expect(sent(await h.client(call(2, "read", "{}")))).toBeDefined();
  });
});

describe("added validation with a policy", () => {
  const validate = (args: object): string => call(5, "validate", JSON.stringify(args));
  it.each([
    [{ tool: "drop", arguments: {} }, false],
    [{ tool: "read", arguments: {} }, true],
    [
      {
        calls: [
          { tool: "read", arguments: {} },
          { tool: "drop", arguments: {} },
        ],
      },
      false,
    ],
  ])("does not know a denied tool: %j", async (args, isKnown) => {
    const settings = withPolicy({ allowTools: ["read"] });
    const h = await listed({ settings, addsValidation: true });
    h.pipeline.conversation.lacksValidation = true;
    h.pipeline.conversation.validationMethod = "validate";
    const text = JSON.stringify(answer(await h.client(validate(args))));
    expect(text.includes("drop")).toBe(!isKnown);
    expect(/nknown tool|not found|no tool/i.test(text)).toBe(!isKnown);
  });
});
