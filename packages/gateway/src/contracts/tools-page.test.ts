import { readFrame } from "@touchstone/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TOOLS } from "./contract-list.ts";
import { maxPageEntries, requestedCursor, toolsPageSteps } from "./tools-page.ts";

const page = (result: string, cursor?: string) =>
  readPage(readFrame(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)), cursor);
function readPage(...given: Parameters<typeof toolsPageSteps>) {
  const steps = toolsPageSteps(...given);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
const MAX_ENTRIES = maxPageEntries(MAX_TOOLS);
const shown = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString();

describe("toolsPageSteps", () => {
  it("copies the schemas byte for byte", () => {
    const schema = '{ "type":"object","b":1.0,"a":9007199254740993 }';
    const result = page(
      `{"tools":[{"outputSchema":${schema},"name":"\\u0061","inputSchema":true}]}`,
    );
    const [tool] = result?.tools ?? [];
    expect(tool?.name).toBe("a");
    expect(shown(tool?.outputSchema)).toBe(schema);
    expect(tool?.outputSchema?.buffer.byteLength).toBe(schema.length);
    expect(shown(tool?.inputSchema)).toBe("true");
    expect(result?.faults).toEqual([]);
  });

  it.each([
    ["{}", "{}"],
    ["null", undefined],
    ["false", "false"],
    ["5", "5"],
    ['"x"', '"x"'],
  ])("reads inputSchema %s as %s", (schema, kept) => {
    const [tool] = page(`{"tools":[{"name":"a","inputSchema":${schema}}]}`)?.tools ?? [];
    expect(shown(tool?.inputSchema)).toBe(kept);
  });

  it("reports faults in single tools and reads the others", () => {
    const result = page(
      `{"tools":[1,null,[],{},{"name":3},{"name":"${"n".repeat(1_025)}"},{"name":"a"},{"name":"a"}]}`,
    );
    expect(result?.tools.map(({ name }) => name)).toEqual(["a", "a"]);
    expect(result?.faults.map(({ path }) => path)).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((i) => `/result/tools/${i}`),
      "/result/tools/7/name",
    ]);
  });

  it("reports names that repeat on the page or from an earlier page", () => {
    const frame = readFrame(
      Buffer.from(
        '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"},{"name":"b"},{"name":"c"}]}}',
      ),
    );
    const { faults, repeated } = readPage(frame, "2", new Set(["a", "x"])) ?? {};
    expect([...(repeated ?? [])]).toEqual(["a", "b"]);
    expect(faults).toEqual([
      {
        path: "/result/tools/0/name",
        message:
          "an earlier page of the list holds a tool of this name already; the last one counts",
        rule: "protocol",
      },
      {
        path: "/result/tools/2/name",
        message: "the list holds a tool of this name already; the last one counts",
        rule: "protocol",
      },
    ]);
  });

  it("does not report repeated tools on a page whose cursor names itself", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":""}}';
    const page = readPage(readFrame(Buffer.from(text)), "", new Set(["a"]));
    expect([page?.faults, page?.repeated, page?.next]).toEqual([[], new Set(), undefined]);
  });

  it.each([
    ["null", undefined],
    ["5", undefined],
    ['""', ""],
    ['"a\\u0022"', 'a"'],
  ])("after nextCursor %s continues with %j", (next, read) => {
    const result = page(`{"tools":[],"nextCursor":${next}}`, "here");
    expect(result).toMatchObject({ cursor: "here" });
    expect(result?.next).toBe(read);
  });

  it.each([
    ["1500", 1_500],
    ["0", 0],
    ["-1", undefined],
    ["1e999", undefined],
    ['"9"', undefined],
    ["null", undefined],
  ])("reads ttlMs %s as %s", (ttl, ms) => {
    expect(page(`{"tools":[],"ttlMs":${ttl}}`)?.ttlMs).toBe(ms);
  });

  it.each(["{}", '{"tools":{}}', '{"tools":null}', "[]", "3"])("finds no list in %s", (result) => {
    expect(page(result)).toBeUndefined();
  });

  it.each([
    ["what is not a tool", "1"],
    ["one name", '{"name":"a"}'],
  ])("stops reading a page with too many entries of %s", (_, entry) => {
    const whole = page(`{"tools":[${Array(MAX_ENTRIES).fill(entry).join()}],"ttlMs":9}`);
    expect(whole?.cut).toBe(false);
    const cut = page(`{"tools":[${Array(MAX_ENTRIES + 1).fill(entry)},{"name":"z"}],"ttlMs":9}`);
    expect(cut).toMatchObject({ cut: true, ttlMs: 9 });
    expect(cut?.tools.some(({ name }) => name === "z")).toBe(false);
    expect(cut?.faults.at(-1)).toEqual({
      path: "/result/tools",
      message: `the list has more than ${MAX_ENTRIES} entries; the rest is not read`,
      rule: "protocol",
    });
    expect(cut?.faults.length).toBe((whole?.faults.length ?? 0) + 1);
  });

  it("never throws, and never loses a tool to its neighbors", () => {
    const odd = fc.json().map((tool) => (tool.includes('"name"') ? "0" : tool));
    fc.assert(
      fc.property(fc.array(odd), fc.array(odd), (before, after) => {
        const list = [...before, '{"name":"kept","inputSchema":{}}', ...after].join();
        expect(page(`{"tools":[${list}]}`)?.tools.map(({ name }) => name)).toEqual(["kept"]);
      }),
    );
  });
});

describe("requestedCursor", () => {
  it.each([
    ["{}", undefined],
    ['{"cursor":null}', undefined],
    ['{"cursor":"\\u0061"}', "a"],
    ['{"cursor":""}', ""],
    ['{"cursor":7}', "7"],
  ])("for params %s returns %j", (params, cursor) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`;
    expect(requestedCursor(readFrame(Buffer.from(text)))).toBe(cursor);
  });
});
