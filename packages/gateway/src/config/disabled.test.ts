// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { describe, expect, it } from "vitest";
import { configurationHash } from "../fleet/configuration-hash.ts";
import { parseServers } from "./client-servers.ts";
import { configAsFile } from "./config-to-file.ts";
import { parseConfig } from "./load.ts";
import { shownUpstream } from "./shown-upstream.ts";
import { refusal } from "./testing/refusals.ts";

const text = (off: object, more: object = {}) =>
  JSON.stringify({
    mcpServers: { good: { command: "c" }, off: { ...off, disabled: true } },
    ...more,
  });
const parse = (content: string) => parseConfig(content, { file: "t.json", env: {} });

describe("a disabled entry", () => {
  it.each<[object, string, object]>([
    [{ type: "sse", url: "https://x/sse" }, "UNSUPPORTED_TRANSPORT", { url: "https://x/sse" }],
    [{ command: "x", env: { K: "${NOPE}" } }, "UNSET_VARIABLE", { env: { K: "${NOPE}" } }],
    [{ command: "x", args: ["${input:k}"] }, "INVALID_VARIABLE", { command: "x" }],
    [{}, "MISSING_KEY", { type: "stdio", command: "" }],
    [{ endpoint: "https://x" }, "MISSING_KEY", { command: "" }],
    [{ command: "x", args: 5 }, "WRONG_TYPE", { command: "x", args: [] }],
    [{ type: "ws", url: "wss://x?key=hunter2" }, "INVALID_VALUE", { type: "http", url: "" }],
    [{ command: "x", url: "http://x" }, "CONFLICTING_KEYS", { command: "x" }],
    [{ url: "http://x", headers: { "A B": "x", C: 1 } }, "WRONG_TYPE", { headers: { "A B": "x" } }],
  ])("loads without a way to run it: %j", (off, code, upstream) => {
    const config = parse(text(off, { input_validation: { mode: "strict" } }));
    expect(config.settings.input.mode).toBe("strict");
    const [good, disabled] = config.servers;
    expect(good).toMatchObject({ name: "good", settings: { input: { mode: "strict" } } });
    expect(good).not.toHaveProperty("faults");
    expect(disabled).toMatchObject({ name: "off", disabled: true, upstream });
    expect(disabled?.faults?.map((fault) => fault.code)).toContain(code);
    expect(disabled && JSON.stringify(shownUpstream(disabled))).not.toContain("hunter2");
    const again = parse(JSON.stringify(configAsFile(config)));
    expect(again.servers.map((server) => server.upstream)).toEqual(
      config.servers.map((server) => server.upstream),
    );
    expect(parseServers(text(off), "t.json", { env: {} }).servers).toMatchObject([
      { name: "good" },
      { name: "off", disabled: true },
    ]);
  });

  it.each([
    { enabled: false },
    { isActive: false },
    { disabled: true, enabled: true },
    { disabled: false, enabled: false },
  ])("is recognized by each key that turns it off: %j", (off) => {
    const content = JSON.stringify({
      mcpServers: { off: { type: "sse", url: "http://x", ...off } },
    });
    expect(parse(content).servers).toMatchObject([{ name: "off", disabled: true, faults: [{}] }]);
    const on = { command: "c", enabled: true, isActive: true, disabled: false };
    const running = parse(JSON.stringify({ mcpServers: { on } }));
    expect(running).toMatchObject({ servers: [{ disabled: false }], ignoredKeys: [] });
  });

  it("has the same hash in every file", () => {
    const content = text({ command: "${NOPE}" });
    const hashes = ["a.json", "b.json"].map((file) =>
      configurationHash(parseConfig(content, { file, env: {} })),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });

  it.each<[object, string]>([
    [{ command: "x", touchstone: { mode: "off" } }, "UNKNOWN_KEY"],
    [{ command: "x", touchstone: { capability: "${NOPE}" } }, "UNSET_VARIABLE"],
  ])("still reports faults in our own keys: %j", (off, code) => {
    const { faults } = refusal(() => parse(text(off)));
    expect(faults.map((fault) => fault.code)).toEqual([code]);
  });

  it("still reports an invalid name, and faults of other entries", () => {
    const bad = { off: { disabled: true }, "a/b": { disabled: true }, c: { disabled: false } };
    const { faults } = refusal(() => parse(JSON.stringify({ mcpServers: bad })));
    expect(faults.map(({ code, path }) => [code, path])).toEqual([
      ["INVALID_NAME", "/mcpServers/a~1b"],
      ["MISSING_KEY", "/mcpServers/c"],
    ]);
  });
});
