import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { describe, expect, it } from "vitest";
import { clientIdentity } from "./stages/session.ts";

const frame = (text: string): Frame => readFrame(Buffer.from(text));
const initialize = (info: string): Frame =>
  frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":${info}}}`);
const META = "io.modelcontextprotocol/";
const modern = (meta: string): Frame =>
  frame(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":${meta}}}`);

describe("clientIdentity", () => {
  it.each([
    ['{"name":"c","version":"1.0"}', "c/1.0"],
    ['{"name":"c"}', "c"],
    ['{"name":"c","version":1}', "c"],
    ['{"version":"1"}', undefined],
    ['{"name":5}', undefined],
    ["null", undefined],
    ['["name"]', undefined],
    ['{"__proto__":{"name":"x"}}', undefined],
    [`{"name":"${"x".repeat(70_000)}"}`, undefined],
  ])("of %s", (info, identity) => {
    expect(clientIdentity(initialize(info))).toBe(identity);
    expect(clientIdentity(modern(`{"${META}clientInfo":${info}}`))).toBe(identity);
  });

  it("ignores client info in other places", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"clientInfo":{"name":"c"}}}';
    expect(clientIdentity(frame(text))).toBeUndefined();
  });
});
