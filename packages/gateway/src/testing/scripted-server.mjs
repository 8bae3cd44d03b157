/**
 * A stdio MCP server for tests of transports, whose behavior is chosen on its command line.
 *
 *   node scripted-server.mjs [--on METHOD=ACTION]... [options]
 *
 * It serves `initialize`, `server/discover`, `ping`, `tools/list` (one tool, `work`) and
 * `tools/call`, with `resultType` and the like where a request's `_meta` names a protocol version.
 * Ids are echoed as `JSON.stringify` writes them. A test must close its stdin or kill it.
 *
 * ACTION, for requests of METHOD (`*` for all); several, for the same method, run one per request
 * and the last one stays:
 *   answer            the usual answer (default)
 *   silent            nothing, ever
 *   invalid-json      a line that is not JSON
 *   deaf              the usual answer, and from then on nothing is read
 *   half              the first half of the response, no line feed
 *   half-exit:N       the same, then exit with code N
 *   exit:N            exit with code N without answering
 *   error:CODE        a JSON-RPC error
 *   twice             the response, two times
 *   huge:BYTES        a response whose line has BYTES bytes, the line feed not counted
 *   raw:TEXT          TEXT as a line; `$ID` stands for the request's id
 *   notify:METHOD     a notification, then the response
 *   progress:N        N `notifications/progress` for the request's progressToken, then the response
 *   ask:METHOD        a request to the client, id "ask-1", "ask-2" …; once it is answered, a tool
 *                     result whose text is the client's response as it came
 *
 * Options:
 *   --exit N          exit with code N at once
 *   --noise LINE      a line on stdout at the start (repeatable)
 *   --noise-between LINE   a line on stdout before each response
 *   --stderr LINE     a line on stderr at the start (repeatable)
 *   --broken-schema   `tools/list` has a second tool, `broken`, whose schema cannot be compiled
 *   --crlf            lines end with CR LF
 *   --id-last         answers are written as the official SDK's v1 writes them, `id` last
 *   --chunk N         stdout is written N bytes at a time, one turn of the event loop apart
 *   --linger          live on after SIGTERM and after the end of stdin, and say so on stderr:
 *                     "lingering after SIGTERM", "lingering after end of stdin"
 *
 * Environment: `RECORD_IN`, `RECORD_OUT` name files to which every byte read and written is
 * appended, before it is acted on or sent.
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { errorAnswer, resultOf } from "./scripted-answers.mjs";

const text = { type: "string" };
const texts = { type: "string", multiple: true, default: [] };
const flag = { type: "boolean", default: false };
const { values: options } = parseArgs({
  options: {
    on: texts,
    exit: text,
    noise: texts,
    "noise-between": text,
    stderr: texts,
    "broken-schema": flag,
    crlf: flag,
    "id-last": flag,
    chunk: text,
    linger: flag,
  },
});
if (options.exit !== undefined) process.exit(Number(options.exit));

/** Actions still to run, by method. */
const script = new Map();
for (const entry of options.on) {
  const at = entry.indexOf("=");
  if (at === -1) throw new Error(`--on takes METHOD=ACTION, got ${entry}`);
  const method = entry.slice(0, at);
  script.set(method, [...(script.get(method) ?? []), entry.slice(at + 1)]);
}
function nextAction(method) {
  const actions = script.get(method) ?? script.get("*") ?? ["answer"];
  return actions.length > 1 ? actions.shift() : actions[0];
}

const record = (variable, bytes) => {
  const file = process.env[variable];
  if (file) appendFileSync(file, bytes);
};

let queue = Promise.resolve();
/** Writes in order; with `--chunk` in pieces. */
function write(data) {
  queue = queue.then(async () => {
    const bytes = Buffer.from(data);
    const step = Number(options.chunk ?? bytes.length) || 1;
    for (let at = 0; at < bytes.length; at += step) {
      const piece = bytes.subarray(at, at + step);
      record("RECORD_OUT", piece);
      await new Promise((resolve) => process.stdout.write(piece, resolve));
      if (options.chunk !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  return queue;
}
const writeLine = (line) => write(`${line}${options.crlf ? "\r\n" : "\n"}`);
const inOrder = (text) => {
  if (!options["id-last"]) return text;
  const { jsonrpc, id, ...rest } = JSON.parse(text);
  return JSON.stringify({ ...rest, jsonrpc, id });
};

const asked = new Map();

async function onRequest(message) {
  const [action, ...rest] = nextAction(message.method).split(":");
  const argument = rest.join(":");
  const answer = () => inOrder(resultOf(message, { brokenSchema: options["broken-schema"] }));
  const exit = (code) => process.exit(Number(code));
  switch (action) {
    case "silent":
      return;
    case "exit":
      await queue;
      return exit(argument);
    case "ask": {
      const id = `ask-${asked.size + 1}`;
      asked.set(id, message);
      return writeLine(JSON.stringify({ jsonrpc: "2.0", id, method: argument, params: {} }));
    }
  }
  if (options["noise-between"] !== undefined) writeLine(options["noise-between"]);
  switch (action) {
    case "answer":
      return writeLine(answer());
    case "deaf":
      process.stdin.pause();
      setInterval(() => {}, 60_000);
      return writeLine(answer());
    case "invalid-json":
      return writeLine('{"jsonrpc":"2.0","id":');
    case "half":
      return write(answer().slice(0, answer().length / 2));
    case "half-exit":
      await write(answer().slice(0, answer().length / 2));
      return exit(argument);
    case "error":
      return writeLine(errorAnswer(message.id, Number(argument), "Scripted error"));
    case "twice":
      writeLine(answer());
      return writeLine(answer());
    case "huge": {
      const result = (filler) => inOrder(resultOf(message, { text: filler }));
      const size = Number(argument) - result("").length;
      if (size < 0) throw new Error(`huge:${argument} is smaller than an empty answer`);
      return writeLine(result("x".repeat(size)));
    }
    case "raw":
      return writeLine(argument.replaceAll("$ID", () => JSON.stringify(message.id)));
    case "notify":
      writeLine(JSON.stringify({ jsonrpc: "2.0", method: argument }));
      return writeLine(answer());
    case "progress":
      for (let progress = 1; progress <= Number(argument); progress += 1) {
        const params = { progressToken: message.params?._meta?.progressToken, progress };
        const method = "notifications/progress";
        writeLine(JSON.stringify({ jsonrpc: "2.0", method, params }));
      }
      return writeLine(answer());
  }
  throw new Error(`unknown action ${action}`);
}

function onLine(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return writeLine(errorAnswer(null, -32700, "Parse error"));
  }
  if (asked.has(message?.id)) return writeLine(resultOf(asked.get(message.id), { text: line }));
  if (message?.method === undefined || message.id === undefined) return;
  return onRequest(message);
}

if (options.linger) {
  const say = (event) => () => process.stderr.write(`lingering after ${event}\n`);
  process.on("SIGTERM", say("SIGTERM"));
  process.stdin.on("end", say("end of stdin"));
  setInterval(() => {}, 60_000);
}
for (const line of options.stderr) process.stderr.write(`${line}\n`);
for (const line of options.noise) writeLine(line);

process.stdout.on("error", () => process.exit(0));
let parts = [];
process.stdin.on("data", (chunk) => {
  record("RECORD_IN", chunk);
  let from = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
    const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
    parts = [];
    from = end + 1;
    if (line.trim() !== "") onLine(line);
  }
  if (from < chunk.length) parts.push(chunk.subarray(from));
});
