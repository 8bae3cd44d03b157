import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rememberSecret } from "../../../util/src/known-secrets.ts";
import {
  type LogPart,
  MAX_CHARACTERS,
  MAX_LINE,
  MAX_LINES,
  ServerLog,
  secretValues,
} from "./server-log.ts";

function read(log: ServerLog, after?: string): LogPart {
  const steps = log.read(after);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
const textsOf = (log: ServerLog): readonly string[] => read(log).lines.map(({ text }) => text);

/** A log of these lines of one process. */
function logOf(...lines: readonly string[]): ServerLog {
  const log = new ServerLog(() => 0);
  for (const line of lines) log.add(line, 7);
  return log;
}

describe("the log of a server", () => {
  it("has its stderr and what happened to it, each with time and process", () => {
    let now = 1_000;
    const log = new ServerLog(() => (now += 1_000));
    log.note("info", "started", 7);
    log.add("listening", 7);
    log.add("   ", 7);
    log.note("error", "exited with code 3", 7);
    log.note("error", "cannot start");
    expect(read(log).lines).toEqual([
      { time: new Date(2_000), kind: "info", text: "started", pid: 7, isCut: false },
      { time: new Date(3_000), kind: "stderr", text: "listening", pid: 7, isCut: false },
      { time: new Date(4_000), kind: "error", text: "exited with code 3", pid: 7, isCut: false },
      { time: new Date(5_000), kind: "error", text: "cannot start", pid: undefined, isCut: false },
    ]);
  });

  it("keeps the newest lines, and counts those that a reader missed", () => {
    const log = logOf("first");
    const { cursor } = read(log);
    expect(read(log, cursor)).toEqual({ lines: [], cursor, missed: 0 });
    for (let at = 0; at < MAX_LINES + 5; at += 1) log.add(`line ${at}`);
    const { lines, missed, cursor: next } = read(log, cursor);
    expect([lines.length, missed, lines[0]?.text]).toEqual([MAX_LINES, 5, "line 5"]);
    log.add("last");
    expect(read(log, next).lines.map(({ text }) => text)).toEqual(["last"]);
    // A cursor of another process returns all lines, and one beyond the end returns none.
    expect(read(log, "0123456789ab.1000").lines).toHaveLength(MAX_LINES);
    expect(read(log, `${next.split(".")[0]}.999999999`).lines).toEqual([]);
  });

  it("stays within its bounds, whatever comes", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.integer({ min: 0, max: 20_000 }).map((length) => "é".repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 150 }), (all) => {
        const log = new ServerLog(() => 0);
        for (const each of all) log.add(each);
        const { lines, cursor, missed } = read(log);
        const written = all.filter((each) => each.trim() !== "");
        expect(lines.length + missed).toBe(written.length);
        expect(Number(cursor.split(".")[1])).toBe(written.length);
        expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
        const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
        expect(characters).toBeLessThanOrEqual(MAX_CHARACTERS);
        for (const [at, { text, isCut }] of lines.entries()) {
          const raw = written[missed + at] ?? "";
          expect(text.length).toBeLessThanOrEqual(MAX_LINE);
          expect(text.isWellFormed()).toBe(true);
          expect(isCut).toBe(raw.length > MAX_LINE);
        }
      }),
      { numRuns: 15 },
    );
    const log = new ServerLog();
    for (let at = 0; at < MAX_LINES; at += 1) log.add("z".repeat(16_385));
    const kept = read(log);
    expect(kept.lines.length).toBe(Math.floor(MAX_CHARACTERS / (MAX_LINE + 512)));
    expect(kept.missed).toBe(MAX_LINES - kept.lines.length);
  });

  it("has no colors, and keeps other control and bidirectional characters for the page to show", () => {
    expect(textsOf(logOf("\u001b[1;31mred\u001b[0m \u001b[2J\u202eevil\u0007"))).toEqual([
      "red \u001b[2J\u202eevil\u0007",
    ]);
  });

  it.each([
    ["a token", `key ghp_${"a1B2".repeat(9)} used`, "key [redacted] used"],
    ["a colored token", `key gh\u001b[31mp_${"a1B2".repeat(9)}`, "key [redacted]"],
    ["a password in a URL", "postgres://u:hunter22@db/x", "postgres://[redacted]@db/x"],
    [
      "a password by its name",
      "login with password=hunter22 now",
      "login with password=[redacted] now",
    ],
    ["a secret of an option", "run --api-key very-secret now", "run --api-key [redacted] now"],
    ["a variable of its entry", "using very-own-value now", "using [redacted] now"],
  ])("hides %s", (_, line, shown) => {
    const log = logOf(line);
    log.hide(secretValues(["very-own-value", "info"]));
    expect(textsOf(log)).toEqual([shown]);
    // Values that were configured earlier stay hidden.
    log.hide(secretValues(["another-value"]));
    expect(textsOf(log)).toEqual([shown]);
  });

  it.each([
    ["of a known form", `ghp_${"a1B2".repeat(9)}`],
    ["of the entry", "very-own-value-of-the-entry"],
    ["of a file", "a-secret-of-a-file-for-this-test"],
    ["of a file, longer than the line", "long-secret-".repeat(600)],
  ])("hides a secret %s at any place around the cut", (_, secret) => {
    if (!secret.startsWith("ghp_") && !secret.startsWith("very")) rememberSecret(secret);
    for (let at = MAX_LINE - secret.length - 20; at < MAX_LINE + 600; at += 29) {
      if (at < 0) continue;
      const log = new ServerLog(() => 0);
      log.hide(secretValues(secret.startsWith("very") ? [secret] : []));
      log.add(`${" ".repeat(at)}${secret} ${"q".repeat(9_000)}`);
      const shown = `${" ".repeat(at)}[redacted] ${"q".repeat(9_000)}`.slice(0, MAX_LINE);
      expect([at, textsOf(log)]).toEqual([at, [shown]]);
    }
  });

  it("hides a private key that comes line by line, while another process writes", () => {
    const log = new ServerLog(() => 0);
    log.add("-----BEGIN RSA PRIVATE KEY-----", 1);
    for (let at = 0; at < 20; at += 1) {
      log.add("MIIEpAIBAAKCAQEA+/=".repeat(3), 1);
      log.add(`working ${at}`, 2);
    }
    log.add("-----END RSA PRIVATE KEY-----", 1);
    log.add("MIIE is fine again", 1);
    const texts = textsOf(log);
    expect(texts.join("\n")).not.toContain("MIIEp");
    expect(texts).toContain("working 19");
    expect(texts.at(-1)).toBe("MIIE is fine again");
    // A server cannot hide all of its output.
    log.add("-----BEGIN PRIVATE KEY-----", 1);
    for (let at = 0; at < 300; at += 1) log.add("word", 1);
    expect(textsOf(log).at(-1)).toBe("word");
  });
});
