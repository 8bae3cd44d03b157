import { runSteps } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol";
import { expect, it } from "vitest";
import { KnownToolLists } from "./known-lists.ts";

const OPTIONS = { duplicates: true };

function reader() {
  const lists = new KnownToolLists();
  return (text: string | Uint8Array, options: object = OPTIONS) => {
    const bytes = Buffer.from(text);
    return runSteps(lists.read(readFrame(bytes, { outline: true }), options));
  };
}

const list = (id: string, tools = '{"name":"a","name":"b"}'): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tools}]}}`;

it("reuses a parsed list that comes again, even under another id of the gateway", () => {
  const read = reader();
  const first = read(list('"touchstone-1"'));
  const again = read(list('"touchstone-2"'));
  expect(again.scan).toBe(first.scan);
  expect(again.id).toBe('"touchstone-2"');
  expect(again.faults).toEqual(readFrame(again.bytes, OPTIONS).faults);
  expect(again.faults).toHaveLength(1);
});

const OTHERS: readonly (readonly [string, string | Uint8Array, object])[] = [
  ["other tools", list('"a"', '{"name":"a","name":"c"}'), OPTIONS],
  ["a longer id", list('"ab"'), OPTIONS],
  ["an id of another type", list("123"), OPTIONS],
  ["an id with an escape that JSON does not have", list('"\\"'), OPTIONS],
  ["an id with a control character", list('"\u0001"'), OPTIONS],
  ["an id that is not UTF-8", Buffer.from(list('"\u00ff"'), "latin1"), OPTIONS],
  ["other options", list('"a"'), { duplicates: false }],
];

it.each(OTHERS)("parses again with %s", (_, other, options) => {
  const read = reader();
  const first = read(list('"a"'));
  const frame = read(other, options);
  expect(frame.scan).not.toBe(first.scan);
  const bytes = Buffer.from(other);
  expect(frame.faults).toEqual(readFrame(bytes, options).faults);
  expect(frame.scan).toEqual(readFrame(bytes, options).scan);
});

it("remembers the most recent lists", () => {
  const read = reader();
  const first = read(list('"a"'));
  for (let n = 0; n < 7; n += 1) read(list('"a"', `{"name":"${n}"}`));
  expect(read(list('"b"')).scan).toBe(first.scan);
  for (let n = 0; n < 8; n += 1) read(list('"a"', `{"name":"${n}"}`));
  expect(read(list('"b"')).scan).not.toBe(first.scan);
});
