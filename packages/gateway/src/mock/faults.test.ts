import { compileDeclared } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol/advanced";
import { createLogger } from "@touchstone/util";
import { describe, expect, it } from "vitest";
import { brokenResult } from "./broken-result.ts";
import { type FaultKind, readFaults } from "./fault-options.ts";
import { Faults } from "./faults.ts";
import { fillSecrets } from "./filled-secrets.ts";

const SCHEMA = {
  type: "object",
  properties: {
    sky: { enum: ["clear", "rain"] },
    day: { type: "string", format: "date" },
    hours: { type: "array", items: { $ref: "#/$defs/hour" } },
    note: { type: "string" },
  },
  required: ["sky", "day", "hours"],
  $defs: {
    hour: {
      type: "object",
      properties: {
        degrees: { type: "number" },
        'a/"b': { type: "string", pattern: "^[a-f]{8}$" },
      },
      required: ["degrees"],
      additionalProperties: false,
    },
  },
};
const schema = compileDeclared({ value: SCHEMA });
const CONTENT = {
  sky: "rain",
  day: "2026-01-02",
  hours: [{ degrees: 1.5, 'a/"b': "abcdefab" }, { degrees: -2 }],
};
const frameOf = (result: object) =>
  readFrame(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 7, result }, null, 1)));
const STRUCTURED = frameOf({ content: [], structuredContent: CONTENT, _meta: { x: 1 } });
const contentOf = (bytes: Uint8Array): Uint8Array => {
  const frame = readFrame(bytes);
  const range = frame.ranges.structuredContent;
  expect([frame.scan.error, frame.id]).toEqual([undefined, "7"]);
  return range === undefined ? new Uint8Array() : bytes.subarray(range.start, range.end);
};

describe("a fault in a structured result", () => {
  it.each<[FaultKind, RegExp]>([
    ["type", /^type$/],
    ["missing", /^required$/],
    ["enum", /^enum$/],
    ["format", /^(?:format|pattern)$/],
    ["extra", /^additionalProperties$/],
  ])("%s is one that the output schema finds, wherever it is", (kind, keyword) => {
    const paths = new Set<string>();
    for (let place = 0; place < 12; place += 1) {
      const broken = brokenResult(STRUCTURED, kind, schema, (count) => place % count);
      expect(broken).toBeDefined();
      const { errors, valid } = schema.validateText(contentOf(broken?.bytes ?? new Uint8Array()));
      expect(valid).toBe(false);
      expect(errors.some((issue) => keyword.test(issue.keyword ?? ""))).toBe(true);
      paths.add(broken?.path ?? "");
    }
    expect(paths.size).toBeGreaterThanOrEqual(kind === "enum" ? 1 : 2);
  });

  it("duplicate-key writes a key twice", () => {
    const { bytes, path } = brokenResult(STRUCTURED, "duplicate-key", schema, () => 0) ?? {};
    expect(path).toBe("/structuredContent/sky");
    expect(Buffer.from(bytes ?? []).toString()).toMatch(/\{"sky":null,\s*"sky": "rain"/);
  });

  it("is not made if the result has no place for it", () => {
    const plain = frameOf({ content: [{ type: "text", text: "x" }] });
    expect(brokenResult(plain, "enum", undefined, () => 0)).toBeUndefined();
    expect(brokenResult(plain, "format", undefined, () => 0)).toBeUndefined();
    const none = compileDeclared({ value: { type: "object", properties: { sky: {} } } });
    expect(brokenResult(STRUCTURED, "enum", none, () => 0)).toBeUndefined();
    const error = readFrame(
      Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}'),
    );
    expect(brokenResult(error, "type", schema, () => 0)).toBeUndefined();
  });

  it("is in the envelope of a result without structured content", () => {
    const plain = frameOf({ content: [{ type: "text", text: "x" }], isError: false });
    const made = (kind: FaultKind) => {
      const broken = brokenResult(plain, kind, undefined, () => 0);
      return JSON.parse(Buffer.from(broken?.bytes ?? []).toString()).result;
    };
    expect(made("type")).toEqual({ content: "text", isError: false });
    expect(made("missing")).toEqual({ isError: false });
    expect(made("extra")).toMatchObject({ unexpected: true });
    expect(made("oversize").content[0].text.length).toBeGreaterThan(5_242_880);
  });
});

describe("Faults", () => {
  const run = (text: string, seed: number, calls = 40) => {
    const read = readFaults(text);
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), "info");
    const faults = new Faults("faults" in read ? read.faults : [], seed, log);
    for (let call = 0; call < calls; call += 1) {
      faults.apply(STRUCTURED.bytes, String(call), undefined, "t");
    }
    return { kinds: faults.made.map(({ kind, id }) => `${kind} ${id}`), lines };
  };

  it("are the same for a seed, about as many as the rate says, and each is one line of the log", () => {
    const first = run("error:0.3,slow:1ms:0.5", 1);
    expect(run("error:0.3,slow:1ms:0.5", 1)).toEqual(first);
    expect(run("error:0.3,slow:1ms:0.5", 2)).not.toEqual(first);
    const errors = first.kinds.filter((kind) => kind.startsWith("error")).length;
    expect(errors).toBeGreaterThan(3);
    expect(errors).toBeLessThan(22);
    expect(first.lines).toHaveLength(first.kinds.length);
    expect(first.lines[0]).toMatch(
      /^touchstone warn: a fault was made fault=(?:error|slow) tool=t id=\d+\n$/,
    );
    expect(run("error:0", 1).kinds).toEqual([]);
  });

  it("are of each kind that was asked for, one for each call", () => {
    const kinds = run("type,missing,error", 1).kinds.map((kind) => kind.split(" ")[0]);
    expect(kinds).toHaveLength(40);
    expect(new Set(kinds)).toEqual(new Set(["type", "missing", "error"]));
  });

  it.each([
    ["typ", /"typ" is not one of type, missing/],
    ["", /"" is not one of/],
    ["type:2", /type:2: the rate is a number from 0 to 1, such as type:0\.1/],
    ["type:", /the rate is a number/],
    ["type:0.1:1", /the rate is a number/],
    ["slow", /slow takes a duration/],
    ["slow:2", /slow takes a duration/],
    ["slow:601s", /slow takes a duration of up to 600 s/],
    ["slow:2s:x", /such as slow:2s:0\.1/],
    ["drift:0.5", /drift takes a number of calls/],
  ])("are not read from %j", (text, reason) => {
    expect(readFaults(text)).toEqual({ reason: expect.stringMatching(reason) });
  });

  it("are read with rates, durations and calls", () => {
    expect(readFaults("type, slow:1.5s:0.25,drift:3,not-json:0")).toEqual({
      faults: [
        { kind: "type", rate: 1 },
        { kind: "slow", rate: 0.25, delayMs: 1_500 },
        { kind: "drift", rate: 1, calls: 3 },
        { kind: "not-json", rate: 0 },
      ],
    });
  });
});

describe("removed secrets", () => {
  const secret = "[redacted]";
  const fill = (content: object) => {
    const found = fillSecrets(frameOf({ content: [], structuredContent: content }), schema, 3);
    return { ...found, check: schema.validateText(contentOf(found.bytes)) };
  };

  it("get placeholders that the output schema accepts", () => {
    const hours = [{ degrees: secret, 'a/"b': secret }, { degrees: -2.0 }];
    const { filled, unfilled, check, bytes } = fill({
      ...CONTENT,
      sky: secret,
      hours,
      note: secret,
    });
    expect(check.valid).toBe(true);
    expect(filled).toEqual(["/sky", "/hours/0/degrees", '/hours/0/a~1"b']);
    expect(unfilled).toEqual([]);
    // The schema accepts it as it is.
    expect(Buffer.from(bytes).toString()).toContain('"note": "[redacted]"');
  });

  it("stay where no placeholder is found, and the rest of the bytes as well", () => {
    const same = fill({ ...CONTENT, note: secret });
    expect(same.filled).toEqual([]);
    const impossible = compileDeclared({
      value: { properties: { a: { type: "string", pattern: "^a$", maxLength: 0 } } },
    });
    const frame = frameOf({ content: [], structuredContent: { a: secret } });
    const found = fillSecrets(frame, impossible, 1);
    expect(found).toEqual({ bytes: frame.bytes, filled: [], unfilled: ["/a"] });
  });
});
