import { encodeUtf8, runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { readableId } from "./cut-message.ts";
import type { Frame } from "./frame.ts";
import { MAX_ID_BYTES } from "./id.ts";
import { MAX_CURSOR_BYTES } from "./long-ids.ts";
import { readFrame, readFrameSteps } from "./read.ts";

const read = (text: string): Frame => readFrame(encodeUtf8(text));
const KEY = "io.modelcontextprotocol/subscriptionId";
const called = (method: string, params: string) => (text: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params.replace("$", () => text)}}`;
const answered = (result: string) => (text: string) =>
  `{"jsonrpc":"2.0","id":1,"result":${result.replace("$", () => text)}}`;
const PLACES: readonly [string, number, (text: string) => string][] = [
  ["/id", MAX_ID_BYTES, (text) => `{"jsonrpc":"2.0","id":${text},"method":"ping"}`],
  ["/id", MAX_ID_BYTES, (text) => `{"jsonrpc":"2.0","id":${text},"result":{}}`],
  ["/params/requestId", MAX_ID_BYTES, called("notifications/cancelled", '{"requestId":$}')],
  ["/params/progressToken", MAX_ID_BYTES, called("notifications/progress", '{"progressToken":$}')],
  ["/params/taskId", MAX_ID_BYTES, called("tasks/get", '{"taskId":$}')],
  ["/params/_meta/progressToken", MAX_ID_BYTES, called("ping", '{"_meta":{"progressToken":$}}')],
  ["/result/taskId", MAX_ID_BYTES, answered('{"taskId":$}')],
  ["/result/task/taskId", MAX_ID_BYTES, answered('{"task":{"taskId":$}}')],
  [
    "/params/_meta/io.modelcontextprotocol~1subscriptionId",
    MAX_ID_BYTES,
    called("notifications/message", `{"_meta":{"${KEY}":$}}`),
  ],
  [
    "/result/_meta/io.modelcontextprotocol~1subscriptionId",
    MAX_ID_BYTES,
    answered(`{"_meta":{"${KEY}":$}}`),
  ],
  ["/params/cursor", MAX_CURSOR_BYTES, called("tools/list", '{"cursor":$}')],
  ["/result/nextCursor", MAX_CURSOR_BYTES, answered('{"tools":[],"nextCursor":$}')],
];
const TEXTS: readonly [string, (bytes: number) => string][] = [
  ["letters", (bytes) => `"${"a".repeat(bytes - 2)}"`],
  ["digits", (bytes) => "9".repeat(bytes)],
  ["a list", (bytes) => `[${" ".repeat(bytes - 2)}]`],
];

describe.each(PLACES)("%s", (path, most, message) => {
  it.each(TEXTS)("is read up to its bound: %s", (_, make) => {
    expect(read(message(make(most))).scan.error).toBeUndefined();
  });

  it.each(TEXTS)("is refused beyond it, however it is read: %s", (_, make) => {
    const text = message(make(most + 1));
    for (const frame of [
      read(text),
      readFrame(encodeUtf8(text), { outline: true }),
      runSteps(readFrameSteps(encodeUtf8(text), { duplicates: true, exact: true })),
    ]) {
      expect(frame.kind).toBe("invalid");
      const { error } = frame.scan;
      expect(error).toMatchObject({ code: "size", path, offset: text.indexOf(make(most + 1)) });
      expect(frame.faults).toEqual([
        {
          ...{ path, rule: "guard", keyword: "maxBytes" },
          message: `it has ${most + 1} bytes; more than ${most} are not read`,
        },
      ]);
      const id = path === "/id" ? undefined : "1";
      expect([frame.id, frame.idKey]).toEqual([id, id && `n${id}`]);
      expect(readableId(frame)?.text).toBe(id);
      const keys = [frame.requestIdKey, frame.progressTokenKey, frame.subscriptionIdKey];
      const texts = [...keys, frame.taskId, frame.nextCursor];
      const longest = Math.max(0, ...texts.map((key) => key?.length ?? 0));
      expect(longest).toBeLessThanOrEqual(MAX_CURSOR_BYTES);
    }
  });
});

it("does not mistake a long id inside a value for the message's own", () => {
  const id = `"${"a".repeat(MAX_ID_BYTES)}"`;
  const text = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"id":${id},"taskId":${id}}}}`;
  expect(read(text)).toMatchObject({ kind: "request", id: "1", faults: [] });
});
