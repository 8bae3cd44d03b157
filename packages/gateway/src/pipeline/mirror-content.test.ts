import { describe, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { turnsDuring } from "../../../util/src/testing/turns.ts";
import { TimeSlice } from "../../../util/src/time-slice.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import {
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  modernMeta,
  result,
  taskMembers,
} from "./testing/harness.ts";

const TOOL = {
  name: "sum",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { n: { type: "integer" } } },
};
const settings = (mode: "off" | "warn" | "strict", mirrorContent = true): ValidationSettings => ({
  ...all(mode),
  adapt: {
    unusableTools: "pass",
    outputSchema: "pass",
    pages: "pass",
    for: [],
    steps: ["same", "narrower", "wider"],
    mirrorContent,
    descriptions: { stripHidden: false },
  },
});
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const TYPE = { [LEGACY]: "", [MODERN]: '"resultType":"complete",' } as const;

async function answered(
  body: string,
  mode: "off" | "warn" | "strict" = "warn",
  { revision = LEGACY, on = true }: { revision?: string; on?: boolean } = {},
): Promise<[string, Harness]> {
  const h = new Harness({ settings: settings(mode, on), revision });
  await h.list([TOOL]);
  await h.client(call(1, "sum", "{}", "", revision));
  return [text((await h.server(result(1, body))).onward), h];
}

describe("a structured result without text content", () => {
  const own = '{ "n" : 1.0, "é":"\\u00e9\\n" }';
  const block = `[{"type":"text","text":${JSON.stringify(own)}}]`;

  describe.each([LEGACY, MODERN] as const)("in %s", (revision) => {
    const type = TYPE[revision];
    it.each(["off", "warn", "strict"] as const)(
      "gets a text block with its own bytes, all others unchanged, in %s",
      async (mode) => {
        for (const [before, after] of [
          [
            `{${type} "structuredContent":${own},"_meta":{"x":1.0}}`,
            `{"content":${block},${type} "structuredContent":${own},"_meta":{"x":1.0}}`,
          ],
          [
            `{${type}"content" : [ ], "structuredContent":${own} }`,
            `{${type}"content" : ${block}, "structuredContent":${own} }`,
          ],
        ] as const) {
          const [sent, h] = await answered(before, mode, { revision });
          expect(sent).toBe(result(1, after));
          // This also holds if the protocol requires content, because the client gets a message with content.
          expect(h.records("policy_decision")).toEqual([]);
          expect(h.records("tool_call")).toMatchObject([
            { adapt: "mirror_content", status: "success", bytes_out: Buffer.byteLength(sent) },
          ]);
        }
      },
    );
  });

  it.each<[string, string]>([
    ["has content", `{"content":[{"type":"text","text":"a"}],"structuredContent":${own}}`],
    ["has content that is not a list", `{"content":null,"structuredContent":${own}}`],
    ["is an error", `{"isError":true,"structuredContent":${own}}`],
    ["has no structured part", '{"content":[]}'],
    ["is another kind of result", `{"resultType":"x","structuredContent":${own}}`],
    ["has one part twice", `{"structuredContent":{"n":2},"structuredContent":${own}}`],
    ["is none", "[]"],
  ])("stays unchanged if it %s", async (_, body) => {
    const [sent, h] = await answered(body, "off");
    expect(sent).toBe(result(1, body));
    expect(h.records("tool_call")[0]?.adapt).toBeUndefined();
  });

  it("stays unchanged if mirror_content is off, whatever else is adapted", async () => {
    const h = new Harness({ settings: settings("warn", false) });
    await h.list([TOOL]);
    await h.client(call(1, "sum", "{}"));
    const frame = h.read(result(1, `{"content":[],"structuredContent":${own}}`));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is checked unchanged, and recorded as the server sent it", async () => {
    const [sent, h] = await answered('{"structuredContent":{"n":"x"}}', "strict");
    expect(sent).toContain("output schema validation failed");
    expect(sent).not.toContain('{\\"n\\"');
    expect(h.records("policy_decision")).toMatchObject([{ direction: "output" }]);
  });

  it("stays unchanged if its message is very long, and the record says so", async () => {
    const body = `{"structuredContent":{"n":1,"a":"${"x".repeat(1_100_000)}"}}`;
    const [sent, h] = await answered(body);
    expect(sent).toBe(result(1, body));
    expect(h.records("tool_call")[0]?.adapt).toMatch(
      /^mirror_content not done: .* 11000\d\d bytes/,
    );
    const [large] = await answered(body.replace(/x{200000}/, ""));
    expect(JSON.parse(large).result.content[0].text).toHaveLength(900_014);
  });

  it("gets a text block in a batch, without changes to other items", async () => {
    const h = new Harness({ settings: settings("strict"), revision: "2025-03-26" });
    await h.list([TOOL]);
    await h.client(`[${call(1, "sum", "{}")},${call(2, "sum", "{}")}]`);
    const other = result(2, '{"content":[{"type":"text","text":"a"}]}');
    const { onward } = await h.server(
      `[${result(1, '{"content":[],"structuredContent":{"n":1}}')}, ${other}]`,
    );
    const [first, second] = JSON.parse(text(onward));
    expect(first.result.content).toEqual([{ type: "text", text: '{"n":1}' }]);
    expect(second).toEqual(JSON.parse(other));
  });

  it.each<[string, string, string, string | undefined]>([
    [LEGACY, `{"task":{${taskMembers("t1")}}}`, "tasks/result", undefined],
    [MODERN, '{"resultType":"task","taskId":"t1"}', "tasks/get", '"status":"completed"'],
  ])(
    "gets a text block if it comes from a task, in %s",
    async (revision, announced, method, inside) => {
      const h = new Harness({ settings: settings("warn"), revision });
      await h.list([TOOL]);
      await h.client(call(1, "sum", "{}", revision === LEGACY ? ',"task":{}' : "", revision));
      await h.server(result(1, announced));
      const meta = revision === MODERN ? { _meta: modernMeta() } : {};
      await h.client({ jsonrpc: "2.0", id: 2, method, params: { taskId: "t1", ...meta } });
      const done = (content: string): string => {
        const own = `{${content}"structuredContent":{"n":1}}`;
        return inside === undefined
          ? own
          : `{"resultType":"complete","taskId":"t1",${inside},"result":${own}}`;
      };
      const added = '"content":[{"type":"text","text":"{\\"n\\":1}"}],';
      expect(text((await h.server(result(2, done("")))).onward)).toBe(result(2, done(added)));
      const told = (content: string): string =>
        `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1","status":"completed","result":{${content}"structuredContent":{"n":1}}}}`;
      expect(text((await h.server(told(""))).onward)).toBe(told(added));
      expect(h.records("tool_call")).toHaveLength(1);
    },
  );

  eachOf([200_000, 500_000, 1_000_000], 1)(
    "is read and changed in steps if it has %i bytes",
    async (size) => {
      const own = `{"n":1,"a":[${"1,".repeat(size / 2 - 50)}1]}`;
      const taken = async (on: boolean): Promise<{ turns: number; seen: string }> => {
        // Each turn of the event loop has time for one step.
        let now = 0;
        const slice = new TimeSlice(() => (now += 10));
        const h = new Harness({ settings: settings("strict", on), slice });
        await h.list([TOOL]);
        await h.client(call(1, "sum", "{}"));
        let seen = "";
        const turns = await turnsDuring(async () => {
          seen = text((await h.server(result(1, `{"structuredContent":${own}}`))).onward);
        });
        return { turns, seen };
      };
      const { turns, seen } = await taken(true);
      const { content } = JSON.parse(seen).result;
      expect(content).toEqual([{ type: "text", text: own }]);
      expect(turns).toBeGreaterThan((await taken(false)).turns + 3);
    },
  );

  it("is not changed in the response to another method", async () => {
    const h = new Harness({ settings: settings("warn") });
    await h.client({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "a:b" } });
    const body = result(1, '{"structuredContent":{}}');
    expect(text((await h.server(body)).onward)).toBe(body);
  });
});
