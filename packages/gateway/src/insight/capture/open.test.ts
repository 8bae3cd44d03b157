import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rememberSecret } from "../../../../util/src/known-secrets.ts";
import { createLogger } from "../../../../util/src/log.ts";
import type { Conversation } from "../../pipeline/context.ts";
import { CaptureError } from "./errors.ts";
import { openCapture } from "./open.ts";

const lines: string[] = [];
const log = createLogger((line) => lines.push(line), "debug");
const conversation = {
  session: "sha256:00",
  contracts: () => undefined,
} as unknown as Conversation;

function file(): string {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-capture-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "c.jsonl");
}
const parsed = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("openCapture", () => {
  it("writes frames in order, to a file that only its owner can read", async () => {
    const path = file();
    const capture = openCapture(path, log);
    const tap = capture.tap("s", conversation);
    const frames = Array.from({ length: 500 }, (_, i) => `{"id":${i},"x":"ü"}`);
    for (const frame of frames) tap.frame("client", "server", Buffer.from(frame));
    tap.oversize("server", 99);
    await capture.close();
    tap.frame("client", "server", Buffer.from("late"));
    const [start, ...rest] = parsed(path);
    expect(start).toMatchObject({ touchstone: "capture", version: 1 });
    expect(rest.map(({ text }) => text)).toEqual([...frames, undefined]);
    expect(rest[0]).toMatchObject({
      server: "s",
      session: "sha256:00",
      from: "client",
      to: "server",
    });
    expect(rest.at(-1)).toMatchObject({ from: "server", to: "gateway", oversize: 99 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("contains no value that is known to be a secret, also one that is known later", async () => {
    const path = file();
    const capture = openCapture(path, log);
    const tap = capture.tap("s", conversation);
    for (const secret of ["first-value-of-a-file", 'second "value" of a file']) {
      rememberSecret(secret);
      const name = { id: 1, clientInfo: { name: secret }, text: JSON.stringify({ secret }) };
      tap.frame("client", "server", Buffer.from(JSON.stringify(name)));
    }
    await capture.close();
    expect(readFileSync(path, "utf8")).not.toMatch(/value/);
    expect(parsed(path)).toHaveLength(3);
  });

  it("copies a frame's bytes when it receives them", async () => {
    const path = file();
    const capture = openCapture(path, log);
    const bytes = Buffer.from("before");
    capture.tap("s", conversation).frame("client", "server", bytes);
    bytes.write("after!");
    await capture.close();
    expect(parsed(path)[1]).toMatchObject({ text: "before" });
  });

  it("appends after an incomplete line, and restricts the file's mode", async () => {
    const path = file();
    writeFileSync(path, '{"touchstone":"capt', { mode: 0o644 });
    await openCapture(path, log).close();
    expect(readFileSync(path, "utf8")).toMatch(/^\{"touchstone":"capt\n\{"touchstone":"capture"/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("refuses a path that is not a file", () => {
    expect(() => openCapture(tmpdir(), log)).toThrow(CaptureError);
    expect(() => openCapture("/no/such/dir/x", log)).toThrow(/cannot write the capture .*ENOENT/);
  });

  it.skipIf(process.platform !== "linux")("continues on a full disk, and reports it", async () => {
    lines.length = 0;
    const capture = openCapture("/dev/full", log);
    const tap = capture.tap("s", conversation);
    for (let i = 0; i < 10; i += 1) tap.frame("client", "server", Buffer.from("{}"));
    await capture.close();
    expect(lines.filter((line) => line.includes("ENOSPC"))).toHaveLength(1);
  });
});
