import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

/** Serves a faulty server with a capture, calls it twice, and returns the file. */
async function captured(mode: "legacy" | "auto"): Promise<string> {
  const dir = tempDir();
  const file = join(dir, "capture.jsonl");
  const config = join(dir, "touchstone.json");
  const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
  writeFileSync(config, JSON.stringify({ mcpServers: { faulty } }));
  const args = ["serve", "--config", config, "--listen", "127.0.0.1:0", "--capture", file];
  const run = touchstone(args);
  const [, url = ""] = await run.seen("stderr", /faulty: (http\S+)/);
  await run.seen("stderr", /ready/);
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listTools();
  for (const city of ["Rome", "Berlin"]) {
    await client.callTool({ name: "get_weather", arguments: { city } }).catch(() => {});
  }
  await client.close();
  run.child.kill("SIGTERM");
  await run.ended;
  return file;
}

describe("touchstone serve --capture", () => {
  eachOf(
    [
      ["legacy", true],
      ["auto", false],
    ] as const,
    1,
  )(
    "captures the frames of client and server (%s), and replay checks them",
    async (mode, sessions) => {
      const file = await captured(mode);
      const lines = readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const frames = lines.filter(({ from }) => from !== undefined);
      expect(new Set(frames.map(({ from, to }) => `${from} ${to}`))).toContain("client server");
      const calls = frames.filter(
        ({ from, text }) => from === "client" && JSON.parse(text).method === "tools/call",
      );
      expect(calls).toHaveLength(2);
      // The gateway itself has requested the server's tools, in both eras.
      for (const { session } of calls) {
        expect(session).toEqual(sessions ? expect.stringMatching(/^sha256:/) : undefined);
      }

      const replay = touchstone(["replay", file, "--mode", "strict", "-f", "json"]);
      expect(await replay.ended).toBe(1);
      const { findings, summary } = JSON.parse(replay.stdout());
      expect(findings).toEqual([
        expect.objectContaining({
          rule: "output",
          subject: "faulty/get_weather",
          path: "/temperature",
        }),
      ]);
      expect(summary).toMatchObject({
        calls: 2,
        unjudged: 0,
        blocked: 1,
        missing: 0,
        malformed: 0,
      });
    },
  );
});
