import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../../util/src/log.ts";
import { settingsFromOverrides } from "../config/overrides.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { modern, post, startHttpUpstream } from "../testing/http.ts";
import { LineLog } from "../testing/line-log.ts";
import { tempDir, wrapped } from "../testing/wrapped.ts";
import { wrapUrl } from "../wrap.ts";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const STRICT = { mode: "strict" } as const;
const SECTIONS = {
  input_validation: STRICT,
  output_validation: STRICT,
  protocol_validation: STRICT,
};
const PATH = { type: "object", properties: { path: { type: "string", pattern: "^[a-z]+$" } } };
const SUM = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const TOOLS = [{ name: "del", inputSchema: PATH, outputSchema: SUM }];

/** Answers as a server of 2026-07-28 that refuses what has a malformed `_meta`, and, if `refuses`, every list. */
const ANSWER = `(m, refuses) => {
  const malformed = typeof m.params?._meta?.["${CAPABILITIES}"] !== "object";
  if (malformed || (m.method === "tools/list" && refuses))
    return { error: { code: -32602, message: "Invalid request" } };
  if (m.method === "tools/list")
    return { result: { resultType: "complete", tools: ${JSON.stringify(TOOLS)}, ttlMs: 600000, cacheScope: "public" } };
  return { result: { resultType: "complete", content: [], structuredContent: { n: "EVIL" } } };
}`;
const answer = new Function(`return ${ANSWER}`)() as (message: object, refuses: boolean) => object;
const CHILD = `const answer = ${ANSWER};
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const m = JSON.parse(line);
    if (m.method === "tools/call") console.error("REACHED " + JSON.stringify(m.params.arguments));
    if (m.id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id: m.id, ...answer(m, process.env.REFUSES === "1") }));
  });`;

interface Door {
  /** Calls the tool, and returns the response's text. */
  call(id: number, args: object, meta?: Record<string, unknown>): Promise<string>;
  /** The arguments of the calls that have reached the server. */
  reached(): readonly string[];
  close(): Promise<unknown>;
}
/** Starts a gateway in front of a server, with records in a directory. */
type Open = (refuses: boolean, dataDir: string) => Promise<Door>;

async function startUpstream(refuses: boolean) {
  const reached: string[] = [];
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const message = method === "POST" ? JSON.parse(body) : {};
    if (message.id === undefined) {
      response.writeHead(method === "POST" ? 202 : 405).end();
      return;
    }
    if (message.method === "tools/call") reached.push(JSON.stringify(message.params.arguments));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message, refuses) }));
  });
  return { upstream, reached };
}

async function served(
  server: object,
  dataDir: string,
  reached: (log: readonly string[]) => readonly string[],
): Promise<Door> {
  const touchstone = await startTestGateway({ ...SECTIONS, mcpServers: { one: server } }, dataDir);
  return {
    async call(id, args, meta = {}) {
      const { body, headers } = modern(
        "tools/call",
        { name: "del", arguments: args },
        { id, meta },
      );
      return (await post(touchstone.url("one"), body, headers)).text;
    },
    reached: () => reached(touchstone.lines),
    close: () => touchstone.gateway.close(),
  };
}

const calledIn = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => line.split("REACHED ")[1] ?? []);

const DOORS: Readonly<Record<string, Open>> = {
  async "serve, a stdio server"(refuses, dataDir) {
    const env = { REFUSES: refuses ? "1" : "0" };
    return served({ command: process.execPath, args: ["-e", CHILD], env }, dataDir, calledIn);
  },
  async "serve, a server by URL"(refuses, dataDir) {
    const { upstream, reached } = await startUpstream(refuses);
    onTestFinished(() => upstream.close());
    return served({ url: upstream.url }, dataDir, () => reached);
  },
  async wrap(refuses, dataDir) {
    const env = { REFUSES: refuses ? "1" : "0" };
    const client = wrapped(["-e", CHILD], { mode: "strict", env, dataDir, name: "one" });
    return {
      async call(id, args, meta) {
        client.send(
          modern("tools/call", { name: "del", arguments: args }, { id, meta: meta ?? {} }).body,
        );
        return client.line(id);
      },
      reached: () => calledIn(client.log.lines),
      close: () => client.close(),
    };
  },
  async "wrap --url"(refuses, dataDir) {
    const { upstream, reached } = await startUpstream(refuses);
    onTestFinished(() => upstream.close());
    const [input, output, received] = [new PassThrough(), new PassThrough(), new LineLog()];
    output.on("data", (chunk: Buffer) => received.push(chunk));
    const ended = wrapUrl({
      ...{ name: "one", url: upstream.url, headers: {}, dataDir, input, output },
      settings: settingsFromOverrides({ mode: "strict" }),
      log: createLogger(() => {}, "silent"),
      signal: new AbortController().signal,
    });
    return {
      async call(id, args, meta) {
        const { body } = modern(
          "tools/call",
          { name: "del", arguments: args },
          { id, meta: meta ?? {} },
        );
        input.write(`${body}\n`);
        return received.find(`"id":${id}`);
      },
      reached: () => reached,
      close() {
        input.end();
        return ended;
      },
    };
  },
};

const BAD = { path: "../../etc" };
const MALFORMED = { [CAPABILITIES]: "x" };

it.each(Object.entries(DOORS))("%s: no request leaves other calls unchecked", async (_, open) => {
  const dataDir = tempDir();
  // A list that is refused, with a malformed call first.
  const first = await open(true, dataDir);
  expect(await first.call(1, { path: "a" }, MALFORMED)).toContain('"error"');
  const unknown = await first.call(2, BAD);
  expect(unknown).toContain('"isError":true');
  expect(unknown).toContain("cannot be checked yet");
  expect(unknown).toContain("Invalid request");
  expect(first.reached()).toEqual([]);
  await first.close();
  // A list that can be fetched: arguments and results are checked.
  const second = await open(false, dataDir);
  expect(await second.call(1, { path: "a" }, MALFORMED)).toContain('"error"');
  expect(await second.call(2, BAD)).toContain("do not match the tool's input schema");
  expect(await second.call(3, { path: "a" })).toContain("output schema validation failed");
  await expect.poll(() => second.reached()).toEqual(['{"path":"a"}']);
  await second.close();
  // After a restart the last known list counts.
  const third = await open(true, dataDir);
  expect(await third.call(4, BAD)).toContain("do not match the tool's input schema");
  expect(await third.call(5, { path: "b" })).toContain("output schema validation failed");
  await expect.poll(() => third.reached()).toEqual(['{"path":"b"}']);
  await third.close();
});
