import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { connectSdk, type Sdk, type SdkResult } from "./sdk-clients.ts";
import { RECORDER, recordsIn, TOUCHSTONE, tempDir } from "./touchstone.ts";

const node = process.execPath;
/** Arguments for one call of each tool; a list if it is called several times. */
export type Calls = Readonly<Record<string, Record<string, unknown> | Record<string, unknown>[]>>;

/**
 * Runs every call against a wrapped server, with a recorder on both sides of wrap.
 * @param touchstone settings of the server
 */
export async function through(
  sdk: Sdk,
  server: readonly string[],
  calls: Calls,
  touchstone: object = {},
) {
  const dir = tempDir();
  const file = (name: string): string => join(dir, name);
  writeFileSync(file("touchstone.json"), JSON.stringify({ mcpServers: { s: { touchstone } } }));
  const record = (side: string): string[] => [
    RECORDER,
    ...["--in", file(`${side}.in`), "--out", file(`${side}.out`), "--", node],
  ];
  const client = await connectSdk(sdk, {
    command: node,
    args: [
      ...record("client"),
      ...[TOUCHSTONE, "wrap", "--name", "s", "--config", file("touchstone.json")],
      ...["--data-dir", file("data"), "--", node],
      ...record("server"),
      ...server,
    ],
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const tools = await client.tools();
  const results = new Map<string, SdkResult[]>();
  const slow = "simulate-research-query";
  const run = async (name: string): Promise<void> => {
    for (const args of [calls[name] ?? []].flat()) {
      results.set(name, [...(results.get(name) ?? []), await client.call(name, args)]);
    }
  };
  const inBackground = tools.includes(slow) ? run(slow) : undefined;
  for (const name of tools) if (name !== slow) await run(name);
  await inBackground;
  await client.close();
  // The gateway's own requests and their responses only occur between it and the server.
  const lines = (name: string): string[] =>
    readFileSync(file(name), "utf8")
      .split("\n")
      .filter((line) => !/"id":"touchstone-[0-9a-f]+-\d+"/.test(line));
  return { tools, results, lines, records: await recordsIn(file("data")) };
}

export type Conversation = Awaited<ReturnType<typeof through>>;

export function expectSameBytes({ lines }: Conversation): void {
  expect(lines("client.out").length).toBeGreaterThan(10);
  expect(lines("client.out")).toEqual(lines("server.out"));
  expect(lines("server.in")).toEqual(lines("client.in"));
}

/** Expects one record for each `tools/call` that the client sent, and no others. */
export function expectOneRecordEach({ lines, records }: Conversation): void {
  const sent = lines("client.in").filter((line) => line.includes('"method":"tools/call"'));
  const names = sent.map((line) => (JSON.parse(line) as { params: { name: string } }).params.name);
  const recorded = records.filter(({ type }) => type === "tool_call");
  expect(recorded.map(({ tool }) => tool).sort()).toEqual(names.sort());
  const decided = records.filter(({ type }) => type === "policy_decision");
  const calls = new Map(recorded.map((record) => [record.request_id, record.tool]));
  for (const { request_id, tool } of decided) expect(calls.get(request_id)).toBe(tool);
}

export const failed = ({ results }: Conversation): string[] =>
  [...results].flatMap(([name, all]) =>
    all.some(({ result, refused }) => refused !== undefined || result?.isError) ? [name] : [],
  );
