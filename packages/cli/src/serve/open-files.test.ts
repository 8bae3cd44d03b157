import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

/** Enough files for starting, and for a few servers. */
const OPEN_FILES = 64;
const MANY = 40;
const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "me", version: "1" },
};

it.skipIf(process.platform === "win32")(
  "responds that too many files are open, and recovers when they are closed",
  { ...long, timeout: 60_000 },
  async () => {
    const config = join(tempDir(), "touchstone.json");
    const server = { command: process.execPath, args: [FAULTY_SERVER] };
    writeFileSync(config, JSON.stringify({ mcpServers: { faulty: server } }));
    const args = ["serve", "--config", config, "--listen", "127.0.0.1:0"];
    const { seen, stderr, child, ended } = touchstone(args, { openFiles: OPEN_FILES });
    const [, url = ""] = await seen("stderr", /faulty: (http:\S+)/);
    const begin = async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "initialize", params: PARAMS });
      const response = await fetch(url, { method: "POST", headers: HEADERS, body });
      return { session: response.headers.get("mcp-session-id"), text: await response.text() };
    };
    const sessions: string[] = [];
    let refused = "";
    while (refused === "" && sessions.length < MANY) {
      const { session, text } = await begin();
      if (text.includes('"result"')) sessions.push(session ?? "");
      else refused = text;
    }
    expect(sessions.length).toBeGreaterThan(0);
    expect(JSON.parse(refused)).toMatchObject({
      id: 7,
      error: {
        message: expect.stringMatching(/cannot start .*too many files are open.*ulimit -n/),
      },
    });
    for (const session of sessions) {
      const response = await fetch(url, {
        method: "DELETE",
        headers: { "mcp-session-id": session, "mcp-protocol-version": PARAMS.protocolVersion },
      });
      expect(response.ok).toBe(true);
    }
    expect((await begin()).text).toContain('"result"');
    expect(stderr()).not.toContain("TypeError");
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);
