import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rememberSecret } from "./known-secrets.ts";
import {
  createLogger,
  LOG_LEVELS,
  type LogLevel,
  relayedLine,
  serverLogger,
  visible,
} from "./log.ts";

describe("visible", () => {
  it.each([
    ["plain ü 漢 😀", "plain ü 漢 😀"],
    ["a\nb\r\t", "a\\u{a}b\\u{d}\\u{9}"],
    ["\u001b[2J", "\\u{1b}[2J"],
    ["\u202egpj.exe", "\\u{202e}gpj.exe"],
    ["zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"],
    ["\u2028\u2029", "\\u{2028}\\u{2029}"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\u{e0100}\ufe0f\u3164", "\\u{e0100}\\u{fe0f}\\u{3164}"],
    ["half \ud83d pair", "half \\u{d83d} pair"],
  ])("writes %j as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("cuts long text, but never inside a character", () => {
    expect(visible("abcdef", 3)).toBe("abc…");
    expect(visible("ab😀", 3)).toBe("ab…");
    expect(visible("\n\n\n", 4)).toBe("\\u{a…");
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 50 }),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const shown = visible(text, max);
          expect(shown.length).toBeLessThanOrEqual(max + 1);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        },
      ),
    );
  });
});

describe("createLogger", () => {
  const written = (level: LogLevel): string[] => {
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), level);
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
    return lines.map((line) => line.trim().slice(-1));
  };
  it.each(LOG_LEVELS.map((level, i) => [level, ["d", "i", "w", "e"].slice(i)] as const))(
    "at %s writes %j",
    (level, lines) => {
      expect(written(level)).toEqual(lines);
    },
  );

  it("writes one line per call, whatever the values contain", () => {
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), "debug");
    log.warn("a\nb\u202e", { server: "s/1", text: 'x "y"\n', n: 3, ok: true, none: undefined });
    expect(lines).toEqual([
      'touchstone warn: a\\u{a}b\\u{202e} server=s/1 text="x \\"y\\"\\\\u{a}" n=3 ok=true\n',
    ]);
    log.error("x".repeat(1_000_000), { text: "y".repeat(1_000_000) });
    expect(lines[1]?.length).toBeLessThan(5_000);
  });
});

describe("as JSON", () => {
  const written = () => {
    const lines: string[] = [];
    const settings: { level: LogLevel; format: "text" | "json" } = {
      level: "info",
      format: "json",
    };
    return { lines, settings, log: createLogger((line) => lines.push(line), settings) };
  };

  it("writes ECS events, with the required fields first", () => {
    const { lines, log } = written();
    log.debug("below the level");
    log.warn("crm: away", { server: "crm", code: "GONE", n: 3, ok: true, none: undefined });
    log.info("bare");
    const [event, bare] = lines.map((line) => JSON.parse(line));
    expect(lines[0]).toMatch(
      /^\{"@timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","log\.level":"warn","message":"crm: away",.*\}\n$/,
    );
    expect(event).toEqual({
      "@timestamp": expect.any(String),
      "log.level": "warn",
      message: "crm: away",
      "ecs.version": "8.17.0",
      "service.name": "touchstone",
      "event.dataset": "touchstone.log",
      "error.code": "GONE",
      touchstone: { server: "crm", n: 3, ok: true },
    });
    expect(bare).not.toHaveProperty("touchstone");
    expect(lines).toHaveLength(2);
  });

  it("escapes any text on one line, and it reads back the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const { lines, log } = written();
        log.error(text, { reason: text });
        const [line = ""] = lines;
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(line.endsWith("\n")).toBe(true);
        expect(JSON.parse(line)).toMatchObject({ message: text, touchstone: { reason: text } });
      }),
    );
    const { lines, log } = written();
    log.error("\u{e0041}\u202e\ud83d", { text: "y".repeat(1_000_000) });
    expect(lines[0]).toContain("\\udb40\\udc41\\u202e\\ud83d");
    expect(lines[0]?.length).toBeLessThan(5_000);
  });

  it("names the server in a field, which text output does not repeat", () => {
    const { lines, settings, log } = written();
    const about = serverLogger(log, "crm");
    about.info("crm: one", { bytes: 1 });
    settings.format = "text";
    about.info("crm: two", { bytes: 2 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ touchstone: { server: "crm", bytes: 1 } });
    expect(lines[1]).toBe("touchstone info: crm: two bytes=2\n");
  });

  it("follows changes of format and level", () => {
    const { lines, settings, log } = written();
    log.info("first");
    Object.assign(settings, { level: "warn", format: "text" });
    log.info("left out");
    log.warn("second");
    expect(lines).toEqual([expect.stringMatching(/^\{.*"first"/), "touchstone warn: second\n"]);
  });

  it("contains no secret of the configuration, whoever sent it", () => {
    rememberSecret("s3cret of a test");
    const { lines, log } = written();
    for (const format of ["text", "json"] as const) {
      log.warn("unknown tool s3cret of a test", { client: 'a "s3cret of a test"' });
      lines.push(relayedLine("crm", "key: s3cret of a test", format));
    }
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).toContain("[redacted]");
      expect(line).not.toContain("s3cret");
    }
  });

  it("logs the stderr of servers, uncut", () => {
    const line = `\u001b[31m${"x".repeat(16_000)}`;
    expect(relayedLine("crm", line, "text")).toBe(`[crm] ${line}\u001b[0m\n`);
    expect(JSON.parse(relayedLine("crm", line, "json"))).toMatchObject({
      "log.level": "info",
      message: line,
      touchstone: { server: "crm", stream: "stderr" },
    });
  });

  it.each([
    ["plain\tü 漢 \u26a0\ufe0f", "plain\tü 漢 \u26a0\ufe0f"],
    ["\u001b[1;38:5:9mred\u001b[m", "\u001b[1;38:5:9mred\u001b[m\u001b[0m"],
    // Each of these would write over the server's name, or over other lines.
    ["50 %\r[other] forged", "50 %\\u{d}[other] forged"],
    ["\u001b[2K\u001b[1Gtouchstone error: x", "\\u{1b}[2K\\u{1b}[1Gtouchstone error: x"],
    ["\u009b2J\u0008\u001b]0;title\u0007", "\\u{9b}2J\\u{8}\\u{1b}]0;title\\u{7}"],
    ["\u202egpj.exe\u2028", "\\u{202e}gpj.exe\\u{2028}"],
  ])("lets a server color its own line but nothing else: %j", (line, shown) => {
    expect(relayedLine("crm", line, "text")).toBe(`[crm] ${shown}\n`);
    expect(relayedLine("c\nr", line, "text")).toBe(`[c\\u{a}r] ${shown}\n`);
  });
});
