import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, RECORDER, SCRIPTED_SERVER } from "./fixtures.ts";

let folder: string;
const children: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fixtures-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const request = (method: string, params: unknown = {}, id: string | number = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const CALL = request("tools/call", { name: "work", arguments: { n: 3 }, _meta: {} });
const ANSWER =
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"work"}],"structuredContent":{"n":3}}}';

function start(args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

/** Runs a server on the given lines, closes its stdin and returns what it wrote and how it ended. */
async function run(args: string[], lines: string[], env: Record<string, string> = {}) {
  const child = start(args, env);
  child.stdin.on("error", () => undefined);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const [code, signal] = await once(child, "close");
  return { code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}
const scripted = (args: string[], lines = [CALL]) => run([SCRIPTED_SERVER, ...args], lines);
const onCall = (action: string) => scripted(["--on", `tools/call=${action}`]);

async function collect(stream: Readable, wanted: RegExp): Promise<void> {
  let seen = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    seen += chunk;
    if (wanted.test(seen)) return;
  }
  throw new Error(`the stream ended with ${JSON.stringify(seen)}`);
}

describe("the scripted server", () => {
  it.each([
    ["answer", `${ANSWER}\n`, 0],
    ["silent", "", 0],
    ["invalid-json", '{"jsonrpc":"2.0","id":\n', 0],
    ["half", ANSWER.slice(0, ANSWER.length / 2), 0],
    ["half-exit:7", ANSWER.slice(0, ANSWER.length / 2), 7],
    ["exit:5", "", 5],
    [
      "error:-32000",
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Scripted error"}}\n',
      0,
    ],
    ["twice", `${ANSWER}\n${ANSWER}\n`, 0],
    [
      'raw:{"jsonrpc":"2.0","id":$ID,"result":{"a":1.0}}',
      '{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}\n',
      0,
    ],
    ["notify:notifications/x", `{"jsonrpc":"2.0","method":"notifications/x"}\n${ANSWER}\n`, 0],
  ])("tools/call=%s", async (action, out, code) => {
    expect(await onCall(action)).toMatchObject({ out, code });
  });

  it("writes a line of exactly the requested size", long, async () => {
    const { out } = await onCall("huge:2000000");
    expect(out.length).toBe(2_000_001);
    expect(JSON.parse(out).result.structuredContent).toEqual({ n: 3 });
  });

  it("sends progress for the caller's token", long, async () => {
    const call = request("tools/call", { name: "work", _meta: { progressToken: "t" } });
    const { out } = await scripted(["--on", "tools/call=progress:2"], [call]);
    const params = out
      .trim()
      .split("\n")
      .slice(0, 2)
      .map((line) => JSON.parse(line).params);
    expect(params).toEqual([
      { progressToken: "t", progress: 1 },
      { progressToken: "t", progress: 2 },
    ]);
  });

  it("sends a request to the client and returns its response", long, async () => {
    const child = start([SCRIPTED_SERVER, "--on", "tools/call=ask:roots/list"]);
    child.stdin.write(`${CALL}\n`);
    const answer = '{"jsonrpc":"2.0","id":"ask-1","result":{"roots":[]}}';
    let reply = "";
    for await (const chunk of child.stdout) {
      if (reply !== "") {
        expect(JSON.parse(String(chunk))).toMatchObject({
          id: 1,
          result: { content: [{ text: answer }] },
        });
        return;
      }
      expect(JSON.parse(String(chunk))).toMatchObject({ id: "ask-1", method: "roots/list" });
      reply = answer;
      child.stdin.write(`${reply}\n`);
    }
    throw new Error("the server ended");
  });

  it("runs several actions in order and repeats the last", long, async () => {
    const script = ["--on", "tools/call=error:-1", "--on", "tools/call=answer"];
    const { out } = await scripted(script, [CALL, CALL, CALL]);
    expect(out.match(/"error"/g)).toHaveLength(1);
    expect(out.endsWith(`${ANSWER}\n${ANSWER}\n`)).toBe(true);
  });

  it("can exit, print noise, list a broken schema, and end lines with CR LF", long, async () => {
    expect(await scripted(["--exit", "9"])).toMatchObject({ code: 9, out: "" });
    const noise = ["--noise", "npm warn", "--noise-between", "debug", "--stderr", "hello"];
    const { out, err } = await scripted([...noise, "--crlf"]);
    expect(out).toBe(`npm warn\r\ndebug\r\n${ANSWER}\r\n`);
    expect(err).toBe("hello\n");
    const list = await scripted(["--broken-schema"], [request("tools/list")]);
    expect(JSON.parse(list.out).result.tools).toMatchObject([
      { name: "work" },
      { name: "broken", outputSchema: { properties: { n: { type: "strin" } } } },
    ]);
  });

  it("records every byte, even in small chunks", async () => {
    const env = { RECORD_IN: join(folder, "in"), RECORD_OUT: join(folder, "out") };
    const args = [SCRIPTED_SERVER, "--chunk", "3", "--noise", "é"];
    const { out } = await run(args, [CALL, "nope"], env);
    expect(out).toContain(ANSWER);
    expect(readFileSync(env.RECORD_OUT, "utf8")).toBe(out);
    expect(readFileSync(env.RECORD_IN, "utf8")).toBe(`${CALL}\nnope\n`);
  });

  it("can outlive the end of stdin and SIGTERM", long, async () => {
    const child = start([SCRIPTED_SERVER, "--linger"]);
    child.stdin.end(`${CALL}\n`);
    await collect(child.stderr, /lingering after end of stdin/);
    child.kill("SIGTERM");
    await collect(child.stderr, /lingering after SIGTERM/);
    child.kill("SIGKILL");
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  });

  it.each(["legacy", "auto"] as const)(
    "serves the SDK's client with negotiation %s",
    async (mode) => {
      const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
      const server = { command: process.execPath, args: [SCRIPTED_SERVER] };
      await client.connect(new StdioClientTransport(server));
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["work"]);
      const result = await client.callTool({ name: "work", arguments: { n: 1 } });
      expect(result.structuredContent).toEqual({ n: 1 });
      await client.close();
    },
  );
});

describe("the recorder", () => {
  it("forwards and stores the bytes of both directions", async () => {
    const files = { in: join(folder, "in"), out: join(folder, "out") };
    const recorder = [RECORDER, "--in", files.in, "--out", files.out, "--"];
    const lines = [
      request("tools/call", { name: "lookup_order" }),
      request("tools/call", { name: "big_report", arguments: { bytes: 1_000_000 } }, 2),
    ];
    const through = await run([...recorder, process.execPath, FAULTY_SERVER], lines);
    const direct = await run([FAULTY_SERVER], lines);
    expect(through).toEqual(direct);
    expect(readFileSync(files.out, "utf8")).toBe(direct.out);
    expect(readFileSync(files.in, "utf8")).toBe(`${lines.join("\n")}\n`);
  });

  it("exits as its child exits", long, async () => {
    const child = [RECORDER, "--", process.execPath];
    expect(await run([...child, SCRIPTED_SERVER, "--exit", "6"], [CALL])).toMatchObject({
      code: 6,
    });
    const suicide = ["-e", 'process.kill(process.pid, "SIGKILL")'];
    expect(await run([...child, ...suicide], [])).toMatchObject({ signal: "SIGKILL" });
    expect(await run([RECORDER, "--", join(folder, "none")], [])).toMatchObject({ code: 127 });
    expect(await run([RECORDER], [])).toMatchObject({ code: 2 });
  });
});
