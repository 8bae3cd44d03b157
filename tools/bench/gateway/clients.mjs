// Bare clients: `request(id, text)` returns the text of the response. They parse only what they must.
import { Agent, request as send } from "node:http";
import { bodyText } from "../body-text.mjs";
import { callText, isAnswer } from "./tools.mjs";

const REVISION = "2025-11-25";
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

const initialize = (id) =>
  `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":{"protocolVersion":"${REVISION}","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}`;

/** Returns the id of a response: read from its start, where all responses here have it, else by parsing. */
function idOf(line) {
  const found = /^\{"jsonrpc":"2\.0","id":(\d+),/.exec(line.slice(0, 60));
  return found === null ? JSON.parse(line).id : Number(found[1]);
}

/** Calls a tool, and checks that the response belongs to this call. */
const caller = (request) => async (id, tool) => {
  const text = await request(id, callText(id, tool));
  if (isAnswer(text, id)) return;
  throw new Error(`call ${id} of ${tool} got another answer: ${text.slice(0, 300)}`);
};

/** A client on the stdin and stdout of a child process. */
export function stdioClient(child) {
  const waiting = new Map();
  let parts = [];
  const fail = (reason) => {
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  const onLine = (line) => {
    const id = idOf(line);
    waiting.get(id)?.resolve(line);
    waiting.delete(id);
  };
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      parts.push(chunk.slice(from, end));
      onLine(parts.length === 1 ? parts[0] : parts.join(""));
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.slice(from));
  });
  child.once("exit", (code) => fail(`the process ended with ${code}`));
  child.stdin.on("error", () => fail("the process takes no more"));
  const request = (id, text) =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${text}\n`);
    });
  return {
    request,
    call: caller(request),
    async open() {
      await request(0, initialize(0));
      child.stdin.write(`${INITIALIZED}\n`);
    },
    close: () => child.stdin.end(),
  };
}

/** Returns the JSON text of a response, even if it came as an event stream. */
function payload(type, body) {
  if (!type?.startsWith("text/event-stream")) return body;
  const data = body.split("\n").filter((line) => line.startsWith("data: {"));
  return data.at(-1)?.slice(6) ?? "";
}

/** A client of a Streamable HTTP endpoint, with keep-alive connections. */
export function httpClient(url) {
  const agent = new Agent({ keepAlive: true });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (text, again = true) =>
    new Promise((resolve, reject) => {
      const length = { "content-length": Buffer.byteLength(text) };
      const request = send(url, { method: "POST", agent, headers: { ...headers, ...length } });
      // The server may close a kept connection at the moment in which it is used again.
      request.on("error", (error) => {
        if (again && request.reusedSocket) resolve(post(text, false));
        else reject(error);
      });
      request.on("response", (response) => {
        const { statusCode, headers: answered } = response;
        bodyText(response).then((body) => {
          if (statusCode > 299) reject(new Error(`${url} answered ${statusCode}: ${body}`));
          else resolve({ body, headers: answered });
        }, reject);
      });
      request.end(text);
    });
  const request = async (_id, text) => {
    const { body, headers: answered } = await post(text);
    return payload(answered["content-type"], body);
  };
  return {
    request,
    call: caller(request),
    async open() {
      const { headers: answered } = await post(initialize(0));
      const session = answered["mcp-session-id"];
      if (session !== undefined) headers["mcp-session-id"] = session;
      headers["mcp-protocol-version"] = REVISION;
      await post(INITIALIZED);
    },
    close: () => agent.destroy(),
  };
}
