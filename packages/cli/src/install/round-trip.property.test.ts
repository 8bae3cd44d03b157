import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { sample } from "../../../core/src/testing/sample.ts";
import { applyEdits, readEntries } from "./entries.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { type WrapCommand, wrapEntry } from "./wrap-entry.ts";

const OPTIONS = ["--mode", "strict"];
const HOWS = [
  { command: "touchstone", args: [], options: OPTIONS },
  { command: "/bin/node", args: ["/lib/touchstone.js"], options: OPTIONS },
];
const how = fc.constantFrom(...HOWS);

function installed(text: string, how: WrapCommand): { text: string; names: readonly string[] } {
  const names: string[] = [];
  const edits = readEntries(text).flatMap((entry) => {
    const change = wrapEntry(text, entry, how, true);
    if ("left" in change) return [];
    names.push(entry.name);
    return change.edits;
  });
  return { text: applyEdits(text, edits), names };
}
function uninstalled(text: string): string {
  const edits = readEntries(text).flatMap((entry) => {
    const change = unwrapEntry(text, entry);
    return "left" in change ? [] : change.edits;
  });
  return applyEdits(text, edits);
}

/** Writes a value with various white space and comments between its tokens. */
function written(value: unknown, gaps: readonly string[]): string {
  let next = 0;
  const gap = (): string => gaps[next++ % Math.max(1, gaps.length)] ?? "";
  const write = (each: unknown): string => {
    if (Array.isArray(each)) {
      return `[${gap()}${each.map((item) => `${write(item)}${gap()}`).join(`,${gap()}`)}]`;
    }
    if (typeof each === "object" && each !== null) {
      const members = Object.entries(each).map(
        ([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${write(item)}${gap()}`,
      );
      return `{${gap()}${members.join(`,${gap()}`)}}`;
    }
    return JSON.stringify(each);
  };
  return `${gap()}${write(value)}${gap()}`;
}

const gaps = fc.array(
  fc.constantFrom("", " ", "\n", "\r\n", "\t", "  ", "\n    ", '/* c, "[ */', "// x }\n"),
  { minLength: 1, maxLength: 12 },
);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("-y", "--", "wrap", "a\\b", "é", "\u2028"),
);
const strings = fc.dictionary(fc.constantFrom("A", "TOKEN", "X_Y"), text, { maxKeys: 3 });
const others = fc.record(
  { disabled: fc.constant(false), timeout: fc.nat(), alwaysAllow: fc.array(text), cwd: text },
  { requiredKeys: [] },
);
const shuffled = (entry: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc.tuple(entry, others, fc.infiniteStream(fc.nat())).map(([own, more, order]) => {
    const keyed = Object.entries({ ...more, ...own }).map(
      (member) => [order.next().value ?? 0, member] as const,
    );
    return Object.fromEntries(keyed.sort(([a], [b]) => a - b).map(([, member]) => member));
  });
const stdio = shuffled(
  fc.record(
    {
      command: text,
      args: fc.array(text, { maxLength: 4 }),
      env: strings,
      type: fc.constant("stdio"),
    },
    { requiredKeys: ["command"] },
  ),
);
const http = shuffled(
  fc.record(
    {
      url: fc.constantFrom("https://x.example/mcp", "http://127.0.0.1:1/a/b"),
      headers: fc.dictionary(fc.constantFrom("Authorization", "X-A", "x'b"), text, { maxKeys: 3 }),
      type: fc.constantFrom("http", "streamable-http", "streamableHttp"),
    },
    { requiredKeys: ["url"] },
  ),
);
const servers = fc.dictionary(text, fc.oneof(stdio, http), { maxKeys: 4 });
const root = fc
  .record(
    { mcpServers: servers, servers, other: fc.jsonValue({ maxDepth: 2 }) },
    { requiredKeys: [] },
  )
  .chain((top) => servers.map((inner) => ({ ...top, projects: { "/p": { mcpServers: inner } } })));

describe("install and then uninstall", () => {
  it("restores the original bytes", () => {
    fc.assert(
      fc.property(root, gaps, how, (value, between, started) => {
        const before = written(value, between);
        const after = installed(before, started);
        expect(uninstalled(after.text)).toBe(before);
        // Twice is once.
        expect(installed(after.text, started).names).toEqual([]);
      }),
      { numRuns: sample(125, 500) },
    );
  });

  it("puts wrap before the original command, and changes nothing else", () => {
    fc.assert(
      fc.property(fc.oneof(stdio, http), gaps, text, how, (entry, between, name, started) => {
        const before = written({ mcpServers: { [name]: entry } }, between);
        const { text: after, names } = installed(before, started);
        if (names.length === 0) return;
        const { command, args, env, type, url, headers, ...rest } = entry as Record<
          string,
          unknown
        >;
        const now = (parse(after) as { mcpServers: Record<string, Record<string, unknown>> })
          .mcpServers[name];
        const words = now?.["args"] as string[];
        expect(now?.["command"]).toBe(started.command);
        const own = [...started.args, "wrap", "--name", name, ...OPTIONS];
        expect(words.slice(0, own.length)).toEqual(own);
        if (url === undefined) {
          const from = words.indexOf("--", own.length);
          expect(words.slice(from + 1)).toEqual([command, ...((args as string[]) ?? [])]);
          expect(now?.["env"]).toEqual(env);
        } else {
          expect(words).toContain(url);
          const values = Object.values((headers ?? {}) as Record<string, string>);
          expect(Object.values((now?.["env"] ?? {}) as object)).toEqual(values);
          for (const value of values)
            if (value.length > 5) expect(words.join("\n")).not.toContain(value);
          expect(now?.["type"]).toBe(type === undefined ? undefined : "stdio");
          expect(now).not.toHaveProperty("url");
        }
        for (const [key, value] of Object.entries(rest)) expect(now?.[key]).toEqual(value);
      }),
    );
  });

  it("restores the same servers even if a client has rewritten the file", () => {
    fc.assert(
      fc.property(servers, fc.constantFrom(0, 2, 4), how, (entries, indent, started) => {
        const before = JSON.stringify({ mcpServers: entries });
        const anew = JSON.stringify(parse(installed(before, started).text), null, indent);
        expect(parse(uninstalled(anew))).toEqual(JSON.parse(before));
      }),
    );
  });
});
