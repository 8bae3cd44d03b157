// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { levelProperties } from "../features/level-settings.ts";
import { limitProperties } from "../features/limits.ts";
import { knownKeys, SERVER_SCHEMA } from "../settings/sections.ts";
import { configJsonSchema } from "./editor-schema.ts";
import { ConfigError } from "./faults.ts";
import { parseConfig } from "./load.ts";
import { near } from "./testing/near.ts";

interface Described {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
}

/** The value that a schema describes if every key has its default value. */
function defaultOf({ default: standard, properties }: Described): unknown {
  if (properties === undefined) return standard;
  // `auth.jwt` needs keys that have no default.
  const members = Object.entries(properties).filter(([key]) => key !== "jwt");
  return Object.fromEntries(members.map(([key, below]) => [key, defaultOf(below)]));
}

interface Bounded {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum: number;
}

/** The keys that take numbers, of those that a configuration without names has. */
function* numbersOf(
  { properties = {} }: Described,
  above: readonly string[] = [],
): Generator<{ readonly key: readonly string[]; readonly numbers: Bounded }> {
  for (const [name, below] of Object.entries(properties)) {
    const key = [...above, name];
    if ("maximum" in below) yield { key, numbers: below as Bounded };
    else yield* numbersOf(below, key);
  }
}

const nested = (key: readonly string[], value: number): unknown =>
  key.reduceRight<unknown>((below, name) => ({ [name]: below }), value);

function takes(file: unknown): boolean {
  try {
    parseConfig(JSON.stringify(file), { env: {}, file: "t.json" });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return false;
  }
}

describe("configJsonSchema", () => {
  const schema = configJsonSchema();
  const validate = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
  })
    // A keyword of VS Code that holds an error message for people.
    .addVocabulary(["patternErrorMessage"])
    .compile(schema);

  it("is a 2020-12 schema that accepts every valid configuration", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    const good = {
      mcpServers: {
        a: {
          command: "c",
          foreign: 1,
          touchstone: { tools: { t: { input_validation: { mode: "off" } } } },
        },
        b: { url: "https://x", type: "${KIND}" },
        c: { disabled: true },
        d: { disabled: true, type: "sse", command: "c", url: "u", args: 5, env: { K: null } },
      },
      input_validation: { mode: "${MODE:-strict}" },
      output_validation: { rules: { extra: "ignore" }, missing_structured_content: "block" },
      activity: { store: "${DATABASE_URL}" },
      limits: { sessions: 1 },
    };
    expect([validate(good), validate.errors]).toEqual([true, null]);
    const env = { KIND: "http", DATABASE_URL: "postgres://h/d" };
    expect(parseConfig(JSON.stringify(good), { env, file: "t.json" }).servers).toHaveLength(4);
  });

  it("accepts a disabled entry exactly if the loader does", () => {
    let taken = 0;
    fc.assert(
      fc.property(near(SERVER_SCHEMA), (entry) => {
        fc.pre(typeof entry === "object" && entry !== null && !Array.isArray(entry));
        // `pin` needs a `lock`, which may be set at another level: a schema cannot check that, so this file always
        // has one.
        const file = { lock: "first_use", mcpServers: { a: { ...entry, disabled: true } } };
        const isTaken = takes(file);
        expect(validate(file)).toBe(isTaken);
        if (isTaken) taken += 1;
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  it.each([
    { inputvalidation: {} },
    { input_validation: { mode: "Strict" } },
    { limits: { sessions: 0 } },
    { mcpServers: { a: {} } },
    { mcpServers: { a: { disabled: false } } },
    { mcpServers: { a: { disabled: "true" } } },
    { mcpServers: { a: { disabled: true, touchstone: { x: 1 } } } },
    { activity: { store: "mysql://h/d" } },
    { mcpServers: { a: { command: "c", url: "u" } } },
    { mcpServers: { a: { type: "sse", url: "http://x" } } },
    { mcpServers: { a: { command: "c", touchstone: { x: 1 } } } },
  ])("refuses %j", (bad) => {
    expect(validate(bad)).toBe(false);
  });

  it("has the effective defaults: a file with all of them equals an empty file", () => {
    const parse = (text: string) => parseConfig(text, { env: {}, file: "t.json" });
    // An empty section `names` already turns short names on.
    const written = JSON.parse(JSON.stringify(defaultOf(schema)));
    delete written.adapt.names;
    const { logging, settings, ...all } = parse(JSON.stringify(written));
    const { settings: usual, ...empty } = parse("{}");
    const rules = { ...settings.input.rules };
    expect(all).toEqual(empty);
    expect(settings).toEqual({
      input: { ...usual.input, rules },
      output: { ...usual.output, rules },
      protocol: usual.protocol,
    });
    expect([...new Set(Object.values(rules))]).toEqual(["violation"]);
    expect(logging).toEqual({ format: "text", level: "info" });
  });

  it.each([...numbersOf(schema)])("states the range of $key", ({ key, numbers }) => {
    const { minimum, exclusiveMinimum, maximum } = numbers;
    const least = minimum ?? Number(exclusiveMinimum) + Number.MIN_VALUE;
    const jwt = { issuer: "https://i.example", audience: "a", jwks_url: "https://i.example/keys" };
    const file = (value: number): unknown =>
      key[1] === "jwt" ? { auth: { jwt: { ...jwt, [key[2] ?? ""]: value } } } : nested(key, value);
    const parse = (value: number) => () =>
      parseConfig(JSON.stringify(file(value)), { env: {}, file: "t.json" });
    expect(parse(least)).not.toThrow();
    expect(parse(maximum)).not.toThrow();
    expect(parse(minimum === undefined ? Number(exclusiveMinimum) : minimum - 1)).toThrow(
      /from|above/,
    );
    expect(parse(maximum + 1)).toThrow(/to|at most/);
  });

  it("finds the keys at any path, even if a name equals one of ours or of Object's", () => {
    expect(knownKeys(["limits"])).toEqual([
      "request_bytes",
      "unfinished_bytes",
      "upstream_frame_bytes",
      "sessions",
      "children",
      "object_keys",
      "message_keys",
      "concurrent_calls",
      "tools",
      ...Object.keys(limitProperties("top")),
      "call_timeout",
    ]);
    const { narrow: _, ...others } = levelProperties("tool");
    expect(knownKeys(["mcpServers", "constructor", "touchstone", "tools", "properties"])).toEqual([
      "input_validation",
      "output_validation",
      "protocol_validation",
      ...Object.keys(others),
      "narrow",
    ]);
    expect(knownKeys(["nowhere"])).toEqual([]);
  });
});
