import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectSdk, SDKS, type Sdk, type SdkResult } from "./testing/sdk-clients.ts";
import {
  EVERYTHING_SERVER,
  FAULTY_SERVER,
  FILESYSTEM_SERVER,
  RECORDER,
  recordsIn,
  TOUCHSTONE,
  tempDir,
} from "./testing/touchstone.ts";

const node = process.execPath;
/** Arguments for one call of a tool; a list where it is called several times. */
type Calls = Readonly<Record<string, Record<string, unknown> | Record<string, unknown>[]>>;

const EVERYTHING: Calls = {
  echo: { message: "é \u2028 \u{1f600}" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-env": {},
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Blob", resourceId: 2 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 0.1, b: 2 },
  "get-tiny-image": {},
  "gzip-file-as-resource": { data: "data:text/plain,hello", outputType: "resource" },
  // Twice, which switches them off again.
  "toggle-simulated-logging": [{}, {}],
  "toggle-subscriber-updates": [{}, {}],
  "trigger-long-running-operation": { duration: 0.02, steps: 2 },
  "get-roots-list": {},
  "trigger-elicitation-request": {},
  "trigger-url-elicitation": { url: "https://example.com/" },
  "trigger-sampling-request": { prompt: "hello" },
  "simulate-research-query": { topic: "touch" },
};

const filesystem = (folder: string): Calls => {
  const path = join(folder, "a.txt");
  writeFileSync(path, "one\ntwo é\n");
  return {
    read_file: { path },
    read_text_file: { path, head: 1 },
    read_media_file: { path },
    read_multiple_files: { paths: [path, join(folder, "none")] },
    write_file: { path: join(folder, "b.txt"), content: "three" },
    edit_file: { path: join(folder, "b.txt"), edits: [{ oldText: "three", newText: "four" }] },
    create_directory: { path: join(folder, "d") },
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    directory_tree: { path: folder },
    move_file: { source: join(folder, "b.txt"), destination: join(folder, "d", "c.txt") },
    search_files: { path: folder, pattern: "*.txt" },
    get_file_info: { path },
    list_allowed_directories: {},
  };
};

const FAULTY: Calls = {
  get_weather: [{ city: "Rome" }, { city: "Berlin" }],
  lookup_order: { number: "1" },
  list_contacts: {},
  update_contact: { id: "1", email: "a@b.example" },
  deep_report: { depth: 60 },
  big_report: { bytes: 200_000 },
  fail: {},
  echo: { any: ["thing"] },
  broken_schema: {},
};

/** Runs every call against a server behind wrap, with a recorder on either side of wrap. */
async function through(sdk: Sdk, server: readonly string[], calls: Calls) {
  const dir = tempDir();
  const file = (name: string): string => join(dir, name);
  const record = (side: string): string[] => [
    RECORDER,
    ...["--in", file(`${side}.in`), "--out", file(`${side}.out`), "--", node],
  ];
  const client = await connectSdk(sdk, {
    command: node,
    args: [
      ...record("client"),
      ...[TOUCHSTONE, "wrap", "--name", "s", "--data-dir", file("data"), "--", node],
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
  // The gateway's own requests and their answers are between it and the server only.
  const lines = (name: string): string[] =>
    readFileSync(file(name), "utf8")
      .split("\n")
      .filter((line) => !/"id":"touchstone-[0-9a-f]+-\d+"/.test(line));
  return { tools, results, lines, records: await recordsIn(file("data")) };
}

type Conversation = Awaited<ReturnType<typeof through>>;

function expectSameBytes({ lines }: Conversation): void {
  expect(lines("client.out").length).toBeGreaterThan(10);
  expect(lines("client.out")).toEqual(lines("server.out"));
  expect(lines("server.in")).toEqual(lines("client.in"));
}

/** Each `tools/call` that the client sent has one record, and nothing else has one. */
function expectOneRecordEach({ lines, records }: Conversation): void {
  const sent = lines("client.in").filter((line) => line.includes('"method":"tools/call"'));
  const names = sent.map((line) => (JSON.parse(line) as { params: { name: string } }).params.name);
  const recorded = records.filter(({ type }) => type === "tool_call");
  expect(recorded.map(({ tool }) => tool).sort()).toEqual(names.sort());
  const decided = records.filter(({ type }) => type === "policy_decision");
  const calls = new Map(recorded.map((record) => [record.request_id, record.tool]));
  for (const { request_id, tool } of decided) expect(calls.get(request_id)).toBe(tool);
}

const failed = ({ results }: Conversation): string[] =>
  [...results].flatMap(([name, all]) =>
    all.some(({ result, refused }) => refused !== undefined || result?.isError) ? [name] : [],
  );

describe.each(SDKS)("the SDK's client, %s", (sdk) => {
  it("lists and calls every tool of server-everything, bytes unchanged", async () => {
    const talk = await through(sdk, [EVERYTHING_SERVER], EVERYTHING);
    expect(talk.tools.sort()).toEqual(Object.keys(EVERYTHING).sort());
    // SDK v2 has no tasks, which this one tool requires.
    expect(failed(talk)).toEqual(sdk === "v1" ? [] : ["simulate-research-query"]);
    // On the wire: an SDK that reads the last progress and the result at once drops the former.
    const progress = talk.lines("client.out").filter((line) => line.includes('"progress":'));
    expect(progress).toHaveLength(2);
    expect(JSON.stringify(talk.results.get("trigger-sampling-request"))).toContain("sampled");
    expectSameBytes(talk);
    expectOneRecordEach(talk);
  });

  it("lists and calls every tool of server-filesystem, bytes unchanged", async () => {
    const folder = tempDir();
    const calls = filesystem(folder);
    const talk = await through(sdk, [FILESYSTEM_SERVER, folder], calls);
    expect(talk.tools.sort()).toEqual(Object.keys(calls).sort());
    expect(failed(talk)).toEqual([]);
    expectSameBytes(talk);
    expectOneRecordEach(talk);
  });

  it("lists and calls every tool of the faulty server, bytes unchanged in warn", async () => {
    const talk = await through(sdk, [FAULTY_SERVER], FAULTY);
    // The v1 client refuses the whole page of a schema that it cannot compile.
    const shown = Object.keys(FAULTY).filter((name) => sdk !== "v1" || name !== "broken_schema");
    expect(talk.tools).toEqual(shown);
    expectSameBytes(talk);
    expectOneRecordEach(talk);
    const verdicts = talk.records
      .filter(({ type }) => type === "policy_decision")
      .map(({ tool, direction, decision }) => `${tool} ${direction} ${decision}`);
    expect(verdicts).toEqual([
      "get_weather output warning",
      "lookup_order protocol warning",
      "update_contact output warning",
    ]);
    const client = talk.records.find(({ type }) => type === "tool_call")?.client;
    expect(client).toBe("sdk/1");
  });
});
