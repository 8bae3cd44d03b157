import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { openActivityStore, type PinnedText } from "@touchstone/gateway/activity";
import { describe, expect, it } from "vitest";
import { outcomeOf, recordsIn, tempDir } from "../testing/touchstone.ts";

const item = (text: string, kind: PinnedText["kind"] = "tool"): PinnedText => ({
  kind,
  name: kind === "tool" ? (JSON.parse(text) as { name: string }).name : "",
  hash: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  text,
});
const READ = item('{"description":"Reads.","name":"read"}');
const POISONED = item(JSON.stringify({ description: "Reads \u200b\u001b[2J", name: "read" }));
const OTHER = item('{"description":"Reads more.","name":"read"}');
const WRITE = item('{"name":"write"}');
const SAID = item('"Send all."', "instructions");

/** Makes records in which a server declared one tool first, and others later. */
async function held(...items: readonly PinnedText[]): Promise<string> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([{ type: "system_start", source: "gateway", server: "crm", reason: "wrap" }]);
  await store.pins.firstUse("crm", "tool", [READ]);
  await store.pins.saw("crm", items);
  await store.close();
  return dataDir;
}

async function statesIn(dataDir: string) {
  const store = await openActivityStore({ dataDir, sync: "normal" });
  const { pins = [] } = (await store.pins.read("crm")) ?? {};
  await store.close();
  return pins.map(({ kind, name, hash, state }) => [kind, name, hash.slice(7, 13), state]);
}

const short = ({ hash }: PinnedText): string => hash.slice(7, 13);

describe("touchstone approve", () => {
  it("lists held and changed definitions, approves them, and revokes the approval", async () => {
    const dataDir = await held(POISONED, WRITE);
    const run = (...args: string[]) => outcomeOf(["approve", ...args], { dataDir });
    const listed = await run("crm", "--list");
    expect(listed).toMatchObject({ code: 0, err: "" });
    expect(listed.out).toMatch(
      /^2 held, 1 approved\nheld: the tool "read", changed since \S+Z\n {2}sha256:[0-9a-f]{64}\n {3}\{\n {2}- {2}"description": "Reads\.",\n {2}\+ {2}"description": "Reads \\u200b\\u001b\[2J",\n {5}"name": "read"\n {3}\}\nheld: the tool "write", new since/,
    );
    const done = await run("crm", "read", "--reason", "read it all");
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringMatching(/^approved: the tool "read", changed\n/),
    ]);
    expect(await statesIn(dataDir)).toEqual(
      expect.arrayContaining([
        ["tool", "read", short(POISONED), "approved"],
        ["tool", "write", short(WRITE), "held"],
      ]),
    );
    const json = await run("crm", "-o", "json");
    expect(JSON.parse(json.out)).toEqual([
      expect.objectContaining({ name: "write", state: "approved", diff: expect.any(String) }),
    ]);
    expect((await run("crm", "--list")).out).toMatch(
      /^0 held, 3 approved\n(?:approved: the tool "(?:read|write)", since \S+Z\n {2}sha256:[0-9a-f]{64}\n){3}$/,
    );
    const revoked = await run("crm", "read", "--revoke", "--hash", short(POISONED));
    expect(revoked.out).toMatch(/^revoked: the tool "read"\n/);
    expect(await statesIn(dataDir)).toEqual(
      expect.arrayContaining([
        ["tool", "read", short(READ), "approved"],
        ["tool", "read", short(POISONED), "revoked"],
      ]),
    );
    const changes = (await recordsIn(dataDir)).filter(({ source }) => source === "cli");
    const { username } = userInfo();
    expect(changes[0]).toMatchObject({
      ...{ actor: `user ${username}`, caller: username, given_reason: "read it all" },
      changes: 'pin of the tool "read": held → approved',
    });
    expect(changes[1]).not.toHaveProperty("given_reason");
    expect((await run("crm", "--list", "--reason", "x")).code).toBe(2);
    expect(
      changes.map(({ source, server, tool, reason, schema_hash, previous_schema_hash, caller }) => [
        ...[source, server, tool, reason, schema_hash, previous_schema_hash],
        typeof caller,
      ]),
    ).toEqual([
      ["cli", "crm", "read", 'the tool "read" is approved', POISONED.hash, READ.hash, "string"],
      ["cli", "crm", "write", 'the tool "write" is approved', WRITE.hash, undefined, "string"],
      [
        "cli",
        "crm",
        "read",
        'the tool "read" is no longer approved',
        POISONED.hash,
        undefined,
        "string",
      ],
    ]);
  });

  it("lists revoked declarations, and leaves them alone unless they are named", async () => {
    const dataDir = await held(WRITE);
    const run = (...args: string[]) => outcomeOf(["approve", ...args], { dataDir });
    await run("crm", "read", "--revoke");
    expect((await run("crm", "--list")).out).toMatch(
      /^1 held, 1 revoked, 0 approved\nheld: the tool "write", new since[\s\S]*\nrevoked: the tool "read", since \S+Z\n {2}sha256:[0-9a-f]{64}\n$/,
    );
    const bulk = await run("crm");
    expect(bulk.out).toMatch(/^approved: the tool "write", new\n/);
    expect(bulk.out).not.toContain("read");
    expect(bulk.err).toBe(
      'touchstone: left alone: the tool "read" is revoked: name it to approve it again\n',
    );
    const again = await run("crm");
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining(
        'nothing of "crm" is held, so nothing was changed; the tool "read" is revoked: name it to approve it again',
      ),
    ]);
    expect((await run("crm", "--list")).out).toMatch(/^0 held, 1 revoked, 1 approved\nrevoked: /);
    const named = await run("crm", "read");
    expect([named.code, named.out.split("\n")[0], named.err]).toEqual([
      0,
      'approved: the tool "read", new',
      "",
    ]);
  });

  it.each([
    [
      ["other", "--list"],
      'no gateway with these records has pinned a server "other"; the ones that are known: "crm"',
    ],
    [["crm", "raed", "--list"], 'nothing of that name or hash of "crm" is known'],
    [["crm", "--list", "--hash", "ffff"], 'nothing of that name or hash of "crm" is known'],
    [["crm", "--instructions", "--list"], 'nothing of that name or hash of "crm" is known'],
  ])("does not say that nothing is held of what was never pinned: %j", async (args, said) => {
    const dataDir = await held(WRITE);
    const { code, out, err } = await outcomeOf(["approve", ...args], { dataDir });
    expect([code, out, err]).toEqual([1, "", expect.stringContaining(said)]);
  });

  it("calls prompts and resource templates recorded, since they are not held back", async () => {
    const prompt = { ...item('{"name":"new"}'), kind: "prompt" as const };
    const template = { ...item('{"name":"file:///{a}"}'), kind: "resource_template" as const };
    const dataDir = await held(prompt, template);
    const run = (...args: string[]) => outcomeOf(["approve", ...args], { dataDir });
    const { out } = await run("crm", "--list");
    expect(out).toMatch(
      /^0 held, 2 recorded, 1 approved\nrecorded: the prompt "new", new since \S+; it is not held back\n/,
    );
    expect(out).toContain('\nrecorded: the resource template "file:///{a}", new since ');
    const json = JSON.parse((await run("crm", "--list", "-o", "json")).out);
    expect(json.map(({ kind, state }: Record<string, unknown>) => [kind, state]).sort()).toEqual([
      ["prompt", "recorded"],
      ["resource_template", "recorded"],
      ["tool", "approved"],
    ]);
    expect((await run("crm")).out).toMatch(
      /^approved: the prompt "new", new\n[\s\S]*approved: the resource/,
    );
    expect(await statesIn(dataDir)).toContainEqual(["prompt", "new", short(prompt), "approved"]);
  });

  it("asks which of several held versions to approve, and approves none", async () => {
    const dataDir = await held(POISONED, OTHER);
    const run = (...args: string[]) => outcomeOf(["approve", ...args], { dataDir });
    for (const args of [["crm"], ["crm", "read"]]) {
      const { code, out, err } = await run(...args);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain("several versions");
      for (const { hash } of [POISONED, OTHER]) expect(err).toContain(hash);
    }
    expect((await run("crm", "read", "--hash", short(OTHER))).code).toBe(0);
    expect((await statesIn(dataDir)).map(([, , , state]) => state).sort()).toEqual([
      "approved",
      "approved",
      "held",
    ]);
  });

  it("approves only the instructions with --instructions", async () => {
    const dataDir = await held(SAID, WRITE);
    const { code, out } = await outcomeOf(["approve", "crm", "--instructions"], { dataDir });
    expect([code, out.split("\n")[0]]).toEqual([0, "approved: the instructions, new"]);
    expect((await statesIn(dataDir)).find(([, name]) => name === "write")?.[3]).toBe("held");
  });

  it.each([
    [["crm", "nothing"], 1, "nothing of that name or hash"],
    [["crm", "read"], 1, 'the tool "read" of "crm" is approved already'],
    [
      ["other"],
      1,
      'no gateway with these records has pinned a server "other"; the ones that are known: "crm"',
    ],
    [["crm", "--list", "--revoke"], 2, "exclude each other"],
    [["crm", "read", "--instructions"], 2, "--instructions takes no tool"],
    [[" "], 2, "must not be empty"],
  ])("refuses %j", async (args, code, said) => {
    const dataDir = await held(WRITE);
    const ended = await outcomeOf(["approve", ...args], { dataDir });
    expect([ended.code, ended.out, ended.err]).toEqual([code, "", expect.stringContaining(said)]);
  });

  it("reports that there are no records", async () => {
    const { code, err } = await outcomeOf(["approve", "crm"], { dataDir: tempDir() });
    expect([code, err]).toEqual([3, expect.stringContaining("nothing was approved")]);
  });
});
