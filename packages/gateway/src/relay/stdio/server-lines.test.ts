import { describe, expect, it } from "vitest";
import type { MessageOutput } from "../../pipeline/pipeline.ts";
import {
  ADD,
  all,
  bytesOf,
  call,
  Harness,
  parse,
  structured,
} from "../../pipeline/testing/harness.ts";
import type { Mode } from "../../settings/validation.ts";
import { ServerLines } from "./server-lines.ts";

const R1 = structured(1, '{"sum":1}');
const R2 = structured(2, '{"sum":2}');
const LOG =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
const ASK =
  '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}';
const CALL = call(1, "add", '{"a":1}');
/** Typical of the official SDK for TypeScript. */
const ID_LAST = '{"result":{"content":[],"structuredContent":{"sum":1}},"jsonrpc":"2.0","id":1}';

/** Two calls wait, and a server prints lines. */
async function printed(mode: Mode, lines: readonly string[], ids = [1, 2]) {
  const h = new Harness({ settings: all(mode) });
  await h.list([ADD]);
  for (const id of ids) await h.client(call(id, "add", '{"a":1}'));
  const passages: (MessageOutput | Promise<MessageOutput>)[] = [];
  const held: Promise<void>[] = [];
  const stdout = new ServerLines({
    read: (bytes) => h.pipeline.read(bytes),
    take: (frame, line) => passages.push(h.pipeline.fromServer(frame, line && { line })),
    oversize: (cut) => passages.push(h.pipeline.oversize("server", cut, 50)),
    held: (_bytes, released) => held.push(released),
    maxBytes: 10_000,
  });
  for (const line of lines) stdout.line(bytesOf(line));
  stdout.end();
  await stdout.settled();
  const told = await Promise.all(passages);
  const onward = told
    .flatMap((passage) => passage.onward ?? [])
    .map((b) => Buffer.from(b).toString());
  const back = told.flatMap((passage) => passage.back ?? []).map(parse);
  return { h, stdout, passages, held, onward, back };
}

/** A response as a text, or the id of an error of the gateway's. */
const shown = (text: string): unknown => {
  const { id, error } = JSON.parse(text);
  return error?.code === -32603 ? { error: id } : text;
};
const error = (id: number) => ({ error: id });

describe("a line with more than one message", () => {
  const cases: [string, string, (string | object)[], (string | object)[]][] = [
    ["two responses", R1 + R2, [R1, R2], [error(1), error(2)]],
    ["two responses and a space", `${R1} ${R2} `, [R1, R2], [error(1), error(2)]],
    ["two responses between carriage returns", `${R1}\r${R2}\r`, [R1, R2], [error(1), error(2)]],
    ["a response and a notification", R1 + LOG, [R1, LOG], [error(1)]],
    ["a notification and a response", LOG + R1, [LOG, R1], [error(1)]],
    [
      "responses without a version",
      `{"id":1,"result":{}}{"id":2,"result":{}}`,
      ['{"id":1,"result":{}}', '{"id":2,"result":{}}'],
      [error(1), error(2)],
    ],
    ["text before a response", `Loading model... ${R1}`, [R1], [error(1)]],
    ["text after a response", `${R1} done`, [R1], [error(1)]],
    ["colors around a response", `\u001b[32m${R1}\u001b[0m`, [R1], [error(1)]],
    ["a byte order mark before a response", `\ufeff${R1}`, [R1], [error(1)]],
    ["a record separator before a response", `\u001e${R1}`, [R1], [error(1)]],
    ["commas between responses", `${R1},${R2},`, [R1, R2], [error(1), error(2)]],
    ["a bracket before a response", `{config [ ${R1}`, [R1], [error(1)]],
    ["braces before a response", `{config} [a] "b ${R1}`, [R1], [error(1)]],
    ["an id at the end, after text", `INFO ${ID_LAST}`, [ID_LAST], [error(1)]],
    ["a batch after text", `INFO [${R1},${R2}]`, [`[${R1},${R2}]`], []],
    [
      "a response in a response",
      R1.replace('"sum":', `"s${R2}um":`),
      [error(2), error(1)],
      [error(2), error(1)],
    ],
    [
      "a response between members of another one",
      R1.replace('"result"', `${R2}"result"`),
      [error(2), error(1)],
      [error(2), error(1)],
    ],
    [
      "a response in one whose id stands last",
      ID_LAST.replace("structured", `struc${R2}tured`),
      [error(2), error(1)],
      [error(2), error(1)],
    ],
    ["text in a response", R1.replace('"sum":', '"suWARN "x" {'), [error(1)], [error(1)]],
    [
      "text in a response whose id stands last",
      ID_LAST.replace("structured", 'WARN "x" {'),
      [error(1)],
      [error(1)],
    ],
    [
      "text with a quote in a response whose id stands last",
      ID_LAST.replace("structured", 'WARN "x {'),
      [error(1)],
      [error(1)],
    ],
    ["text before a response that is cut off", `INFO ${R1.slice(0, 40)}`, [error(1)], [error(1)]],
    ["the end of a response", `ntent":{}},"jsonrpc":"2.0","id":2}`, [error(2)], [error(2)]],
    [
      "the middle and end of a response",
      `ta":1,"id":2,"result":{"content":[]}}`,
      [error(2)],
      [error(2)],
    ],
    [
      "a response that is cut off, and another one",
      R1.slice(0, 40) + R2,
      [error(2), error(1)],
      [error(2), error(1)],
    ],
    [
      "a response with NaN, and another one",
      R1.replace(":1}", ":NaN}") + R2,
      [error(2), error(1)],
      [error(2), error(1)],
    ],
    [
      "a notification that is cut off, and a response",
      LOG.slice(0, 60) + R1,
      [error(1)],
      [error(1)],
    ],
    [
      "a response with brackets and quotes in its text",
      `x ${R1.replace('"sum"', '"}]{\\"["')}`,
      [R1.replace('"sum"', '"}]{\\"["')],
      [error(1)],
    ],
  ];
  it.each(cases)(
    "%s: forwards whole messages in warn, and sends errors in strict",
    async (_name, line, warn, strict) => {
      const warned = await printed("warn", [line]);
      expect(warned.onward.map(shown)).toEqual(warn);
      expect(warned.h.lines.join("")).not.toContain("structuredContent");
      const off = await printed("off", [line]);
      expect(off.onward.map(shown)).toEqual(warn);
      expect(off.h.activity.records.filter(({ type }) => type === "policy_decision")).toEqual([]);
      const blocked = await printed("strict", [line]);
      const [only] = blocked.onward;
      if (strict.length === 0)
        expect(JSON.parse(only ?? "")).toMatchObject([{ error: {} }, { error: {} }]);
      else expect(blocked.onward.map(shown)).toEqual(strict);
      expect(blocked.h.records("policy_decision")[0]).toMatchObject({
        decision: "blocked",
        direction: "protocol",
      });
      expect(blocked.h.records("policy_decision")[0]?.reason).toMatch(/line|JSON/);
    },
  );

  const logged = [
    `DEBUG received ${CALL}`,
    `DEBUG received ${LOG}`,
    `DEBUG sent ${structured(9, "{}")}`,
    `DEBUG sent "jsonrpc":"2.0","id":9,"result":…`,
    `DEBUG received "jsonrpc":"2.0","id":1,"method":"tools/call" …`,
    'user {"id":1,"name":"x"} logged in',
    'GET {"jsonrpc":1} {"method":"GET","id":1} "id":1',
    `DEBUG {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call'}`,
  ];
  it.each(logged)("ends no request that it does not answer: %s", async (line) => {
    for (const mode of ["off", "warn", "strict"] as const) {
      const { h, onward, back } = await printed(mode, [line]);
      expect([onward, back]).toEqual([[], []]);
      expect(h.pipeline.pending).toBe(2);
      expect(h.activity.records).toEqual([]);
      expect(h.lines.at(-1)).toContain("not a JSON-RPC message");
    }
  });

  it("ends the request of a response that a log line interrupts, even if its id comes last", async () => {
    const cut = ['{"result":{"content":[{"type":"text","teWARNING: slow', ID_LAST.slice(24)];
    const { onward } = await printed("warn", cut);
    expect(onward.map(shown)).toEqual([error(1)]);
  });

  it("delivers a server's request to the client, but refuses it in strict", async () => {
    const warned = await printed("warn", [`INFO ${ASK}`]);
    expect(warned.onward).toEqual([ASK]);
    const { onward, back } = await printed("strict", [`INFO ${ASK}`]);
    expect(onward).toEqual([]);
    expect(back).toMatchObject([{ id: 7, error: {} }]);
  });

  it("forwards a response once that was also logged", async () => {
    const { onward, h } = await printed("warn", [`sending ${R1}`]);
    expect(onward).toEqual([R1]);
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "warning", reason: expect.stringContaining("shares its line with other text") },
    ]);
  });

  it("ends the only pending request with an error if no id is readable", async () => {
    const { onward } = await printed("warn", ['INFO {"jsonrpc":"2.0","res'], [2]);
    expect(onward.map(shown)).toEqual([error(2)]);
  });

  it.each([
    ["text and a response", "x {", R1],
    ["a notification", LOG, R1],
  ])(
    "that is too long and begins with %s ends the request of its last message",
    async (_name, before, message) => {
      const { stdout, passages } = await printed("warn", []);
      const head = bytesOf(before + message.slice(0, -4));
      stdout.oversize({ head, tail: head.subarray(-10), size: 100_000 });
      const told = await Promise.all(passages);
      expect(
        told
          .flatMap(({ onward }) => onward ?? [])
          .map(parse)
          .at(-1),
      ).toMatchObject({ id: 1, error: {} });
    },
  );

  it("is read in steps if it is long, while the lines after it wait", async () => {
    const broken = `{"jsonrpc":"2.0","id":1,"result":{"content":[${"1,".repeat(100_000)}`;
    const { held, onward } = await printed("warn", [broken, R2, "{", R1.slice(1)]);
    expect(held.length).toBeGreaterThan(0);
    expect(onward.map(shown)).toEqual([error(1), R2]);
  });

  it("is parsed in linear time", async () => {
    const size = 2_000_000;
    const hostile = [
      "{".repeat(size),
      '{"jsonrpc":'.repeat(size / 11),
      '{"jsonrpc":"2.0","id":1,'.repeat(size / 24),
      '"id":1,"result":'.repeat(size / 16),
      `"jsonrpc"${" ".repeat(size)}`,
      `x${"[ ".repeat(size / 2)}{"jsonrpc"`,
      `${'"id"'}${" ".repeat(size)}`.repeat(2),
      `x ${R1}`.repeat(size / 80),
    ];
    for (const text of hostile) {
      const began = process.cpuUsage().user;
      await printed("warn", [text], [5]);
      // A square of the size would take minutes.
      expect(process.cpuUsage().user - began).toBeLessThan(10_000_000);
    }
  });
});

describe("a message that is printed over several lines", () => {
  const pretty = (text: string, indent: number | string = 2): string[] =>
    JSON.stringify(JSON.parse(text), null, indent).split("\n");
  it("is joined, and reported once", async () => {
    const { onward, h } = await printed("warn", pretty(R1));
    expect(onward.map((text) => JSON.parse(text))).toEqual([JSON.parse(R1)]);
    expect(onward[0]).not.toContain("\n");
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "warning", reason: expect.stringContaining("must be on one line") },
    ]);
    expect(h.lines.filter((line) => line.includes("line"))).toHaveLength(1);
  });

  it("is blocked in strict, with an error for its id", async () => {
    const { onward } = await printed(
      "strict",
      pretty(R1, "\t").map((line) => `${line}\r`),
    );
    expect(onward.map(shown)).toEqual([error(1)]);
  });

  it("can have more lines than fit into memory one by one", async () => {
    const lines = [
      "{",
      '"jsonrpc":"2.0","id":1,"result":{"a":[',
      ...Array(1_000).fill("1,"),
      "1]}}",
    ];
    const { onward, h } = await printed("warn", lines);
    expect(JSON.parse(onward[0] ?? "").result.a).toHaveLength(1_001);
    expect(h.records("policy_decision")[0]?.reason).toContain("1003 lines");
  });

  it("can have a long line", async () => {
    const text = `"${"x".repeat(4_000)}\\""`;
    const lines = ["{", `"jsonrpc":"2.0","id":1,"result":{"a":[${text},${text}`, "]}}"];
    const { onward } = await printed("warn", lines);
    expect(JSON.parse(onward[0] ?? "").result.a).toHaveLength(2);
  });

  it("can be a batch", async () => {
    const { onward } = await printed("off", pretty(`[${R1},${R2}]`));
    expect(JSON.parse(onward[0] ?? "")).toEqual([JSON.parse(R1), JSON.parse(R2)]);
  });

  it.each<[string, string[], string[]]>([
    ["a message", ["{", R1], [R1]],
    ["text", ["{", "server started", R1], [R1]],
    ["brackets that do not match", ["{", "]", R1], [R1]],
    ["an object of a log", ["{", "  a: 1,", "}", R1], [R1]],
    ["an object of a log in JSON", ["{", '  "a": 1', "}", R1], [R1]],
    ["more text on its last line", ["{", '"a": 1', "} x", R1], [R1]],
    ["the end", [R1, "{"], [R1]],
    ["more lines than fit", ["{", ...Array(900).fill('  "a": "bbbbbbbbbb",'), R1], [R1]],
  ])("is abandoned at %s", async (_name, lines, expected) => {
    const { onward, h } = await printed("warn", lines);
    expect(onward).toEqual(expected);
    expect(h.lines.join("\n")).toContain("not a JSON-RPC message");
  });
});
