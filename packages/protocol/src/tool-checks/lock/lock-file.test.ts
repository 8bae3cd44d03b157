import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalDefinition, instructionsHash } from "./definition.ts";
import {
  approves,
  type LockFile,
  lockedDefinition,
  lockFaultText,
  readLock,
  writeLock,
} from "./lock-file.ts";

const TOOL =
  '{"name":"add","description":"Adds.","inputSchema":{"type":"object","maximum":9007199254740993},"_meta":{"x":1}}';

function locked(source: string) {
  const definition = lockedDefinition(source);
  if (definition === undefined) throw new Error("not JSON");
  return definition;
}

const LOCK: LockFile = {
  servers: new Map([
    [
      "calc",
      {
        identity: { name: "calculator", version: "1.0.0" },
        protocolVersion: "2025-11-25",
        instructions: "Use add.",
        tools: new Map([["add", locked(TOOL)]]),
        prompts: new Map(),
        resourceTemplates: new Map([
          ["file:///{path}", locked('{"uriTemplate":"file:///{path}"}')],
        ]),
      },
    ],
    ["file", { tools: new Map() }],
  ]),
};

describe("canonicalDefinition", () => {
  const { hash } = canonicalDefinition(TOOL) ?? {};

  it.each([
    ["white space", TOOL.replaceAll(",", " ,\n")],
    ["the order of keys", TOOL.replace(',"_meta":{"x":1}', "").replace("{", '{"_meta":{"x":1.0},')],
    ["how strings are spelled", TOOL.replace("Adds.", "\\u0041dds.")],
  ])("has the same hash for any change to %s", (_, text) => {
    expect(canonicalDefinition(text)?.hash).toBe(hash);
    expect(canonicalDefinition(new TextEncoder().encode(text))?.hash).toBe(hash);
  });

  it.each([
    ["the description", TOOL.replace("Adds.", "Adds")],
    ["one digit of a number that no double holds", TOOL.replace("740993", "740992")],
    ["a member that nobody knows", TOOL.replace('"x":1', '"x":2')],
    ["a new member", TOOL.replace("{", '{"icons":[],')],
    ["a key that is there twice", TOOL.replace("{", '{"description":"Adds.",')],
    ["a character that cannot be seen", TOOL.replace("Adds.", "Adds.\u200b")],
  ])("has another hash if %s changes", (_, text) => {
    expect(canonicalDefinition(text)?.hash).not.toBe(hash);
  });

  it("is undefined for invalid JSON", () => {
    expect(canonicalDefinition("{")).toBeUndefined();
  });
});

describe("writeLock and readLock", () => {
  const text = writeLock(LOCK);

  it("keep everything, including digits and unknown members", () => {
    const read = readLock(text);
    expect(read.ok && read.lock).toEqual(LOCK);
    expect(text).toContain('"maximum": 9007199254740993e0');
    expect(text).toMatch(/cannot be pinned/);
    const line = text.split("\n").findIndex((each) => /^\s*"add": \{$/.test(each)) + 1;
    expect(read.ok && read.placesOf(["/servers/calc/tools/add"])).toEqual([{ line, column: 9 }]);
  });

  it("write the same text for any order", () => {
    const read = readLock(text);
    const servers = new Map(read.ok ? [...read.lock.servers].reverse() : []);
    expect(writeLock({ servers })).toBe(text);
  });

  it("show invisible characters", () => {
    const hidden = locked('{"name":"a","description":"b\u200b\u{e0041}\u202e"}');
    const shown = writeLock({ servers: new Map([["s", { tools: new Map([["a", hidden]]) }]]) });
    expect(shown).toContain("b\\u200b\\udb40\\udc41\\u202e");
    const read = readLock(shown);
    expect(read.ok && read.lock.servers.get("s")?.tools.get("a")).toEqual(hidden);
  });

  it("keep definitions in which a key occurs twice, also in a name of such a form", () => {
    const twice = locked('{"name":"a","inputSchema":{"type":"object","type":"array"},"name":"b"}');
    const name = "/servers/s/tools/a/definition/x";
    const shown = writeLock({ servers: new Map([[name, { tools: new Map([[name, twice]]) }]]) });
    const read = readLock(shown);
    expect(read.ok && read.lock.servers.get(name)?.tools.get(name)).toEqual(twice);
    const again = shown.replace('"definition":', '"definition": {}, "definition":');
    expect(readLock(again)).toMatchObject({ ok: false });
  });

  it("keep definitions that are approved in addition", () => {
    const other = `sha256:${"0".repeat(64)}`;
    const also = { ...locked(TOOL), alsoApproved: [other] };
    const shown = writeLock({ servers: new Map([["s", { tools: new Map([["add", also]]) }]]) });
    const read = readLock(shown);
    const tool = read.ok ? read.lock.servers.get("s")?.tools.get("add") : undefined;
    expect([other, also.hash, "sha256:1"].map((hash) => approves(tool, hash))).toEqual([
      true,
      true,
      false,
    ]);
    expect(approves(undefined, other)).toBe(false);
  });

  const place = (part: string): string => {
    const lines = text.slice(0, text.indexOf(part)).split("\n");
    return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
  };

  it.each([
    ["", "touchstone.lock:1:1: it is not JSON: "],
    ["{\n  oops", "touchstone.lock:2:3: it is not JSON: "],
    [
      text.replace('  "servers"', '<<<<<<< HEAD\n  "servers"'),
      `touchstone.lock:${place('  "servers"')}: it holds a merge conflict; take one side, and lock`,
    ],
    ["{}", "touchstone.lock:1:1: /lock_version: "],
    ['{"lock_version":2}', "touchstone.lock:1:2: /lock_version: this version of Touchstone reads"],
    [
      '{"lock_version":1,"servers":{},"servers":{}}',
      "touchstone.lock:1:32: /servers: the key occurs",
    ],
    ['{"lock_version":1,"servers":{"a":{"tool":{}}}}', "touchstone.lock:1:35: /servers/a/tool"],
    [
      text.replace("Adds.", "Adds!"),
      `touchstone.lock:${place(`"hash": "${canonicalDefinition(TOOL)?.hash}`)}: /servers/calc/tools/add/hash: the hash does not match`,
    ],
    [
      text.replace("Use add.", "Use it."),
      `touchstone.lock:${place(`"hash": "${instructionsHash("Use add.")}`)}: /servers/calc/instructions/hash: the hash`,
    ],
    [
      text.replace(/"description": "sha256:..../, '"description": "sha256:0000'),
      "/hashes/description: ",
    ],
    [text.replace(/\n\s*"description": "sha256:.*/, ""), "/servers/calc/tools/add/hashes: "],
  ])("say what is wrong and where: %#", (source, wanted) => {
    const read = readLock(source);
    const faults = read.ok ? [] : read.faults;
    expect(faults.map((fault) => lockFaultText("touchstone.lock", fault)).join("\n")).toContain(
      wanted,
    );
  });

  it("never throw, for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .tuple(fc.nat(text.length), fc.nat(30), fc.string({ maxLength: 5 }))
            .map(([at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut)),
        ),
        (source) => {
          const read = readLock(source);
          if (read.ok) expect(readLock(writeLock(read.lock))).toMatchObject({ ok: true });
          else expect(read.faults.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});
