import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileDeclared } from "@touchstone/core/advanced";
import { parseConfig, parseServers } from "@touchstone/gateway/config";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { ROOT } from "./files.ts";
import { type Block, readPages } from "./markdown.ts";

/** Values for the variables in the pages' configurations. */
const ENV = {
  ALERT_SECRET: "s",
  AGENT_KEY: "agent-key-------",
  ALICE_KEY: "alice-key-------",
  OPS_KEY: "ops-key---------",
  SLACK_URL: "https://hooks.slack.com/services/T/B/X",
  HOME: "/home/ada",
  SEARCH_TOKEN: "t",
  TOUCHSTONE_API_KEY: "touchstone-api-key",
  TOUCHSTONE_ADMIN_KEY: "touchstone-admin-key",
  PROMETHEUS_KEY: "prometheus-key--",
  OIDC_CLIENT_SECRET: "oidc-client-secret",
  TOUCHSTONE_STORE: "postgresql://u:p@db:5432/touchstone",
};

/** By the reader that the block is meant for; each one throws if it finds an error. */
const READERS: Readonly<Record<string, (block: Block) => void>> = {
  "touchstone.json": ({ text }) => void parseConfig(text, { file: "touchstone.json", env: ENV }),
  "a client's servers": ({ text }) => {
    const { servers } = parseServers(text, "mcp.json", { env: ENV });
    expect(servers.length).toBeGreaterThan(0);
  },
  "JSON Schema": ({ text }) => expect(compileDeclared({ text }).error).toBeUndefined(),
  JSON: ({ text }) => void JSON.parse(text),
  YAML: ({ text }) => {
    const { errors, warnings } = parseDocument(text, { strict: true, uniqueKeys: true });
    expect([...errors, ...warnings]).toEqual([]);
  },
  "touchstone install": installs,
};

/** Checks that each pair in the block is an entry of a client, and what `install` turns it into. */
function installs({ text }: Block): void {
  const entries = text.split(/^(?="\w+": \{)/m).filter((part) => part.trim() !== "");
  expect(entries.length).toBeGreaterThan(0);
  const folder = mkdtempSync(join(tmpdir(), "touchstone-entries-"));
  try {
    for (let at = 0; at < entries.length; at += 2) {
      const [before, after] = entries.slice(at, at + 2).map((entry) => JSON.parse(`{${entry}}`));
      const file = join(folder, "mcp.json");
      writeFileSync(file, JSON.stringify({ mcpServers: before }));
      const args = ["install", "--file", file, "--command", "touchstone"];
      const command = [join(ROOT, "packages/cli/bin/touchstone.js"), ...args];
      // The user's file gets an entry for each server.
      const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: "" };
      const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", env });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(JSON.parse(readFileSync(file, "utf8")).mcpServers).toEqual(after);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the reader that a block is meant for: by its marker, or else by its content. */
function readerOf({ language, text, marker }: Block): string {
  if (marker?.word === "read by") return marker.rest;
  if (language === "yaml") return "YAML";
  if (language === "jsonc") return "touchstone.json";
  const value: object = parseJsonc(text) ?? {};
  if ("mcpServers" in value) return "a client's servers";
  return "type" in value ? "JSON Schema" : "JSON";
}

const blocks = readPages()
  .flatMap(({ blocks }) => blocks)
  .filter(({ language }) => ["json", "jsonc", "yaml"].includes(language));

describe("data in the docs is accepted by its reader", () => {
  it.each(blocks.map((block) => [`${block.page}:${block.line}`, readerOf(block), block] as const))(
    "%s (%s)",
    (_, reader, block) => {
      const read = READERS[reader];
      if (read === undefined) throw new Error(`there is no reader ${reader}`);
      read(block);
    },
  );

  it("would be refused with a fault", () => {
    const block = { page: "", line: 1, language: "jsonc", marker: undefined };
    const config = { ...block, text: '{ "input_validation": { "mode": "hard" } }' };
    expect(() => READERS["touchstone.json"]?.(config)).toThrow("hard");
    const pair = '"a": { "command": "x" }\n"a": { "command": "touchstone" }\n';
    expect(() => installs({ ...block, text: pair })).toThrow();
  });
});
