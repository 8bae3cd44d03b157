import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OptionError, type ToolCallHandler } from "./index.ts";
import { readOptions } from "./options.ts";
import { type Client, openClient } from "./testing/client.ts";
import { DOORS, type Served } from "./testing/doors.ts";
import { post } from "./testing/fixtures.ts";

const keys = (count: number, name = "k"): string =>
  Array.from({ length: count }, (_, index) => `"${name}${index}":1`).join();
const TOOLS = [
  { name: "any", description: "", inputSchema: { type: "object" } },
  { name: "bare", description: "" },
];

describe.each(DOORS)("key limits in $name", ({ open }) => {
  const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
  const onRefused = vi.fn();
  let api: Served;
  let send: Client["send"];

  beforeAll(async () => {
    const options = { allowExecute: true, onRefused, maxObjectKeys: 100, maxKeys: 500 };
    ({ api, send } = await openClient(open, TOOLS, handleCall, options));
  });
  afterAll(() => api.close());

  const objectKeys = {
    path: "",
    message: expect.stringMatching(
      /^An object has more than 100 keys, at byte \d+\. Send fewer keys, or raise the limit \(the option maxObjectKeys, in a gateway limits\.object_keys\)$/,
    ),
    keyword: "maxKeys",
  };
  const allKeys = {
    path: "",
    message: expect.stringMatching(
      /^The text has more than 500 keys, at byte \d+\. .*maxKeys, in a gateway limits\.message_keys\)$/,
    ),
    keyword: "maxKeys",
  };
  const table: [string, string, object | undefined][] = [
    ["as many in an object as it may have", `{${keys(100)}}`, undefined],
    ["one more", `{${keys(101)}}`, objectKeys],
    ["one more further inside", `{"a":[{"b":{${keys(101)}}}]}`, objectKeys],
    [
      "as many as it may have in all",
      `[${Array(5)
        .fill(`{${keys(100)}}`)
        .join()}]`,
      undefined,
    ],
    [
      "one more in all",
      `[${Array(6)
        .fill(`{${keys(100)}}`)
        .join()}]`,
      allKeys,
    ],
  ];

  it.each(table)("validates arguments with %s", async (_, text, error) => {
    const { status, body } = await send("/tools/any/validate", post(text));
    const passes = text.startsWith("{");
    const type = { path: "", message: "must be object", keyword: "type" };
    expect(status).toBe(200);
    if (error !== undefined) expect(body).toEqual({ valid: false, errors: [error] });
    else expect(body).toEqual(passes ? { valid: true } : { valid: false, errors: [type] });
    const batch = `{"calls":[{"tool":"any"},{"arguments":${text},"tool":"any"},{"tool":"any"}]}`;
    const { body: results } = await send("/validate", post(batch));
    expect(results).toEqual({ results: [{ valid: true }, body, { valid: true }] });
  });

  it("reports the rule with ?detail=full", async () => {
    const { body } = await send("/tools/any/validate?detail=full", post(`{${keys(101)}}`));
    expect(body.errors).toMatchObject([{ rule: "guard", keyword: "maxKeys" }]);
  });

  it("accepts any arguments without a schema", async () => {
    const { body } = await send("/tools/bare/validate", post(`{${keys(5_000)}}`));
    expect(body).toEqual({ valid: true });
  });

  it("refuses to run a tool with too many keys, and tells the host", async () => {
    const { status, body } = await send("/tools/any/call", post(`{${keys(101)}}`));
    expect(status).toBe(200);
    expect(body).toMatchObject({ isError: true });
    expect(JSON.stringify(body)).toContain("more than 100 keys");
    expect(handleCall).not.toHaveBeenCalled();
    expect(onRefused.mock.calls.at(-1)?.[0]).toMatchObject({
      check: { outcome: "guard", guard: { guard: "maxKeys", limit: 100, actual: 101 } },
    });
  });

  it.each([
    ["a call with other members", `{"tool":"any",${keys(200)}}`],
    ["a call whose tool stands after them", `{${keys(200)},"tool":"any"}`],
  ])("limits the keys of a batch's own objects: %s", async (_, item) => {
    const { status, body } = await send("/validate", post(`{"calls":[{"tool":"any"},${item}]}`));
    expect(status).toBe(200);
    expect(body.results).toEqual([{ valid: true }, { valid: false, errors: [objectKeys] }]);
  });

  it.each([
    ["no object", "[1]", "", "type"],
    ["without calls", `{${keys(3)}}`, "/calls", "required"],
    ["with calls that are not a list", '{"calls":{"a":1}}', "/calls", "type"],
    ["with a call that is not an object", '{"calls":[{"tool":"any"},7]}', "/calls/1", "type"],
    ["with a call that is a list", '{"calls":[[1]]}', "/calls/0", "type"],
    ["with a call of no tool", '{"calls":[{"arguments":{}}]}', "/calls/0/tool", "required"],
    ["with a tool that is not text", '{"calls":[{"tool":{"a":[1]}}]}', "/calls/0/tool", "type"],
    [
      "of too many calls",
      `{"calls":[${Array(1_001).fill('{"tool":"any"}').join()}]}`,
      "/calls",
      "maxItems",
    ],
  ])("refuses a batch %s, with the place", async (_, text, path, keyword) => {
    const { status, body } = await send("/validate", post(text));
    expect(status).toBe(400);
    expect(body).toMatchObject({ valid: false, errors: [{ path, keyword }] });
  });
});

it.each(["maxObjectKeys", "maxKeys"])("accepts a positive integer for %s", (option) => {
  for (const wrong of [0, -1, 1.5, "7"]) {
    expect(() => readOptions({ [option]: wrong })).toThrow(OptionError);
  }
});
