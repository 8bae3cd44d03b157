// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseServers } from "./client-servers.ts";
import { ConfigError } from "./faults.ts";
import { type LoadOptions, parseConfig } from "./load.ts";
import { refusal } from "./testing/refusals.ts";

const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || undefined;

const parse = (text: string, options: LoadOptions = {}) =>
  parseConfig(text, { env: {}, ...options, file: "t.json" });

describe("a hostile configuration", () => {
  it("lists at most 100 faults and counts the rest", () => {
    const keys = Array.from({ length: 250 }, (_, index) => `"k${index}": 1`);
    const error = refusal(() => parse(`{${keys.join(",")}}`));
    expect(error.faults).toHaveLength(100);
    expect(error.omitted).toBe(150);
    expect(error.message).toMatch(/\nand 150 more$/);
  });

  it.each([
    ["numbers", `{"mcpServers":{"s":{"command":"c","args":[${"1,".repeat(100_000)}]}}}`, /50000/],
    [
      "open references",
      `{"mcpServers":{"s":{"command":"${"${".repeat(250_000)}"}}}`,
      /does not begin a reference/,
    ],
    ["comments", "/*".repeat(500_000), /./],
    ["brackets", `{"a":${"[".repeat(500_000)}`, /deeper than 100/],
    ["quotes", `{${'"'.repeat(1_000_000)}`, /./],
  ])("is refused if it consists of %s", (_what, text, words) => {
    expect(refusal(() => parse(text)).message).toMatch(words);
    expect(refusal(() => parseServers(text, "t.json", { env: {} })).faults).not.toEqual([]);
  });

  it.each([
    { command: 5 },
    { command: "c", args: [5] },
    { command: "c", env: { ["e".repeat(5000)]: 5 } },
    { command: "c", touchstone: { tools: { ["t".repeat(5000)]: { input_validation: 5 } } } },
  ])("is refused if names are longer than allowed: %#", (entry) => {
    const name = "n".repeat(5000);
    const text = JSON.stringify({ mcpServers: { [name]: entry } });
    const { faults } = refusal(() => parse(text));
    expect(faults.map(({ code }) => code).toSorted()).toEqual(["INVALID_NAME", "WRONG_TYPE"]);
    expect(refusal(() => parseServers(text, "t.json", { env: {} })).faults).not.toEqual([]);
  });

  it("ignores large values of other programs in a client's file", () => {
    const text = `{"projects":[${"1,".repeat(100_000)}],"mcpServers":{}}`;
    expect(parseServers(text, "t.json", { env: {} }).servers).toEqual([]);
  });

  it("hides possible secrets in errors", () => {
    const secret = "s3cr3t";
    const env = { SECRET: secret };
    const text = `{ "auth": { "api_key": ["${secret}"], "x": "${secret}" },
      "output_validation": { "mode": "\${SECRET}" },
      "mcpServers": {
        "a": { "command": "x", "env": "${secret}", "args": ["\${NO}${secret}"] },
        "b": { "url": "ftp://u:${secret}@x", "headers": { "A": "${secret}\\n" } },
        "c": { "url": "https://u:${secret}@x", "headers": ["${secret}"] },
        "d": { "url": "${secret} \${${secret}", "headers": { "A B": "${secret}" } },
        "e": { "command": "${secret}\\u0000", "disabled": "${secret}" } },
      "activity": { "store": "mysql://u:${secret}@x" } }`;
    const error = refusal(() => parse(text, { env }));
    expect(error.faults.length).toBeGreaterThan(9);
    expect(`${error.message}${JSON.stringify(error.faults)}`).not.toContain(secret);
    expect(error.message).toContain('got "${SECRET}"');
    const high = refusal(() => parse(`{ "activity": "postgres://u:${secret}@x" }`));
    expect(high.message).not.toContain(secret);
  });

  it("throws only ConfigError, for any JSON and any text", () => {
    const known = fc.constantFrom(
      "mcpServers",
      "touchstone",
      "tools",
      "input_validation",
      "output_validation",
      "rules",
      "mode",
      "command",
      "url",
      "type",
      "env",
      "args",
      "headers",
      "listen",
      "address",
      "allowed_hosts",
      "auth",
      "api_key",
      "limits",
      "__proto__",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "medium" },
        fc.oneof(
          fc.constantFrom("strict", "http://x", "${A}", "${", ""),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc
          .array(fc.tuple(fc.oneof(known, fc.string()), tie("tree")), { maxLength: 5 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }));
    const texts = fc.oneof(
      tree.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
    );
    const calm = (action: () => unknown) => {
      try {
        action();
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect((error as ConfigError).faults.length).toBeGreaterThan(0);
      }
    };
    fc.assert(
      fc.property(texts, (text) => {
        calm(() => parse(text));
        calm(() => parseServers(text, "t.json", { env: {} }));
      }),
      { numRuns: RUNS ?? 1000 },
    );
  });
});
