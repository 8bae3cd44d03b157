import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";

/**
 * The source of a server whose responses SDK clients refuse or cannot match, and that writes lines to stderr that
 * look like our log.
 */
const SERVER = `
  process.stderr.write("touchstone: nothing was found\\n");
  const serverInfo = { name: "s", version: "1", title: null };
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: [] }, serverInfo },
    "tools/list": { tools: [{ name: "t", description: "d", inputSchema: { type: "object" } }], nextCursor: null },
    "tools/call": { content: [] },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = results[method];
    const outcome = result ? { result } : { error: { code: -32601, message: "no such method" } };
    const own = method === "tools/call" ? String(id) : id;
    console.log(JSON.stringify({ jsonrpc: "2.0", id: own, ...outcome }));
  });`;
const COMMAND = ["--", process.execPath, "-e", SERVER];
const PLACES = [
  ["initialize", "/result/capabilities/tools"],
  ["initialize", "/result/serverInfo/title"],
  ["tools/list", "/result/nextCursor"],
];

const outcome = (...args: readonly string[]) => outcomeOf(args);

it.each([["check"], ["lint", "--for", "openai"]])(
  "%s reports protocol violations and continues",
  async (...args) => {
    const { code, out, err } = await outcome(...args, "-f", "json", ...COMMAND);
    const { findings, subjects } = JSON.parse(out);
    expect([code, subjects]).toEqual([1, ["initialize", "tools/list", "t"]]);
    const places = findings
      .filter(({ subject }: { subject: string }) => subject !== "t")
      .map(({ subject, path }: { subject: string; path: string }) => [subject, path]);
    expect(places.sort()).toEqual(PLACES);
    for (const { fix, message } of findings.slice(0, 3)) {
      expect(message).toMatch(/; SDK clients refuse the whole response$/);
      expect(fix).not.toBe("");
    }
    expect(err).toMatch(/^\[[^\]]+\] touchstone: nothing was found\n$/);
  },
);

it("call prints the result, then the protocol violations", async () => {
  const { code, out, err } = await outcome("call", "t", "{}", ...COMMAND);
  expect([code, JSON.parse(out)]).toEqual([1, { content: [] }]);
  expect(err).toContain("touchstone: the server has faults:\n  initialize /result/");
  expect(err).toMatch(
    /tools\/call \/id: the response has the id "\d+" instead of \d+; SDK clients/,
  );
  const json = await outcome("call", "-f", "json", "t", "{}", ...COMMAND);
  expect(JSON.parse(json.out).findings).toHaveLength(4);
});

it("doctor lists protocol violations as findings of the server", async () => {
  const path = join(tempDir(), "touchstone.json");
  const server = { command: process.execPath, args: ["-e", SERVER] };
  writeFileSync(path, JSON.stringify({ mcpServers: { server } }));
  const { code, out, err } = await outcome("doctor", "--config", path);
  expect(code).toBe(1);
  expect(out).toMatch(/answers: s\/1, MCP 2025-06-18, 1 tool,/);
  for (const [subject, place] of PLACES) expect(out).toContain(`  ! ${subject} ${place}: must be `);
  expect(err).toBe("touchstone: 1 of 1 with findings: server\n");
});
