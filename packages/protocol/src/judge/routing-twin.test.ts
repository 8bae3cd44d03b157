import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { callTwin, findCallTwins, routingTwin, twinText } from "./routing-twin.ts";

describe("a member that decides where a message goes", () => {
  const read = (text: string) => readFrame(encodeUtf8(text));
  const twin = (text: string) => routingTwin(read(text));

  it.each([
    ["id", '{"id":2,"method":"ping","id":88}'],
    ["id", '{"id":88,"method":"ping","\\u0069d":2}'],
    ["id", '{"id":88,"method":"ping","ID":2}'],
    ["method", '{"method":"notifications/cancelled","params":{"requestId":2},"method":"x"}'],
    ["method", '{"method":"x","Method":"notifications/cancelled"}'],
    ["params", '{"id":1,"method":"ping","params":{"_meta":{"progressToken":2}},"params":{}}'],
    ["_meta", '{"id":1,"method":"ping","params":{"_meta":{"progressToken":2},"_meta":{}}}'],
    [
      "progressToken",
      '{"id":1,"method":"ping","params":{"_meta":{"progressToken":2,"progress_token":1}}}',
    ],
  ])("%s is ambiguous in %s", (name, text) => expect(twin(text)).toBe(name));

  it.each([
    [twin, `{"id":1,"method":"ping","id${"\\u0000".repeat(1_030)}":2}`],
    [twin, `{"id":1,"method":"ping","params":{"${"_".repeat(1_025)}":2}}`],
    [twin, `{"id":1,"method":"ping","params":{"_meta":{"${"p".repeat(1_025)}":2}}}`],
    [(text: string) => callTwin(read(text)), `{"method":"x","params":{"${"n".repeat(7_000)}":2}}`],
  ])("may be a member whose name is too long to be compared (%#)", (find, text) => {
    const found = find(text);
    expect(found).toBeTypeOf("symbol");
    expect(twinText(found ?? "")).toContain("more than 1024 characters");
  });

  it.each([
    '{"method":"x","Method":"y","params":{}}',
    '{"method":"x","params":{"name":"a","Name":"b"}}',
    '{"method":"x","params":{"name":"a","arguments":{},"argu_ments":{}}}',
    '{"method":"x","params":{"name":"a","arguments":{}}}',
    `{"method":"x","params":{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join()},"name":"a","NAME":1}}`,
    '{"method":"x","params":[]}',
    '{"x":"',
  ])("is found in steps beforehand as it is at once: %.60s", (text) => {
    const [once, ahead] = [read(text), read(text)];
    let steps = 0;
    for (const _ of findCallTwins(ahead)) steps += 1;
    expect(steps >= 4).toBe(text.length > 40_000);
    for (const withArguments of [false, true]) {
      expect(callTwin(ahead, withArguments)).toBe(callTwin(once, withArguments));
    }
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"meta":{},"id":2,"Id":3,"_meta":{"id":1}}}',
    '{"id":"id","method":"method"}',
    "[]",
    '{"x":"',
    '{"x":["]}',
  ])("is unambiguous in %s", (text) => expect(twin(text)).toBeUndefined());
});
