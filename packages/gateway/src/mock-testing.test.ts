import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lockedDefinition, writeLock } from "@touchstone/protocol/lock";
import { expect, it, onTestFinished } from "vitest";
import { mockServer } from "./mock-testing.ts";

function fileWith(value: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-mock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "tools.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}
const TOOLS = [
  { name: "t", inputSchema: { type: "object", properties: { n: { type: "integer" } } } },
];
const callOf = (url: string, args: object) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "t", arguments: args },
    }),
  });

it("starts a server that notes its calls and faults, and writes a log if it is asked to", async () => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const file = pathToFileURL(fileWith(TOOLS));
  const server = await mockServer(file, { faults: "missing", seed: 3, log });
  expect(server.captured.calls()).toEqual([]);
  await (await callOf(server.url, { n: 1 })).text();
  await (await callOf(server.url, { n: "x" })).text();
  expect(server.captured.calls()).toEqual([
    { tool: "t", arguments: { n: 1 }, isRecorded: false, faults: ["missing"] },
    { tool: "t", arguments: { n: "x" }, isRecorded: false, faults: ["missing"] },
  ]);
  expect(server.faults.occurred()).toEqual([
    { kind: "missing", tool: "t", path: "/content" },
    { kind: "missing", tool: "t", path: expect.stringMatching(/^\/(?:content|isError)/) },
  ]);
  expect(lines.filter((line) => line.includes("a fault was made"))).toHaveLength(2);
  await server.close();
  await expect(callOf(server.url, {})).rejects.toThrow(TypeError);
});

it("does not start if its tools differ from those that are locked", async () => {
  const tools = fileWith(TOOLS);
  const lock = join(tools, "../touchstone.lock");
  const [tool = {}] = TOOLS;
  const locked = lockedDefinition(JSON.stringify({ ...tool, title: "T" }));
  if (locked === undefined) throw new Error("not a definition");
  const servers = new Map([["s", { tools: new Map([["t", locked]]) }]]);
  writeFileSync(lock, writeLock({ servers }));
  await expect(mockServer(tools, { lock })).rejects.toThrow(/does not match [\s\S]*t\/title: /);
});

it("refuses other files and faults", async () => {
  await expect(mockServer(fileWith([5]))).rejects.toThrow(/not a capture, a lock file/);
  await expect(mockServer(fileWith(TOOLS), { faults: "typo" })).rejects.toThrow(RangeError);
  await expect(mockServer("/none")).rejects.toThrow(/ENOENT/);
});

it("takes the lists of a second file", async () => {
  const about = { server: "s", connection: "c", time: "2026-01-01T00:00:00.000Z" };
  const line = (from: string, to: string, message: object): string =>
    JSON.stringify({ ...about, from, to, text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const params = { name: "t", arguments: { n: 1 } };
  const file = fileWith(TOOLS);
  const capture = `${file}l`;
  const lines = [
    line("client", "server", { id: 1, method: "tools/call", params }),
    line("server", "client", { id: 1, result: { content: [], recorded: true } }),
  ];
  writeFileSync(capture, lines.join("\n"));
  const server = await mockServer([capture, file]);
  expect(await (await callOf(server.url, { n: 1 })).text()).toContain('"recorded":true');
  expect(await (await callOf(server.url, { n: "x" })).text()).toContain("was blocked");
  await server.close();
});
