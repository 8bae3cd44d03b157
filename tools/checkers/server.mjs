// The scripted server: it speaks one revision, over stdio (by pipe.mjs) and Streamable HTTP, and sends the bytes that a
// case prescribes.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { bytesOf, isModern } from "./cases.mjs";
import { member } from "./json.mjs";
import { Inbox, idText, messageOf, onLines } from "./messages.mjs";

const PIPE = fileURLToPath(new URL("pipe.mjs", import.meta.url));
const CAPABILITIES =
  '{"tools":{"listChanged":true},"logging":{},"prompts":{},"resources":{},"completions":{}}';
const INFO = '"serverInfo":{"name":"scripted","version":"1"}';

/** The results of methods that no case prescribes. */
const RESULTS = {
  "tools/list": '{$RESULT$CACHE"tools":$TOOLS}',
  "tools/call": '{$RESULT"content":[{"type":"text","text":"done"}]}',
  "resources/list": '{$RESULT$CACHE"resources":[]}',
  "resources/templates/list": '{$RESULT$CACHE"resourceTemplates":[]}',
  "resources/read": '{$RESULT$CACHE"contents":[{"uri":"test://a","text":"done"}]}',
  "prompts/list": '{$RESULT$CACHE"prompts":[{"name":"p"}]}',
  "prompts/get": '{$RESULT"messages":[{"role":"user","content":{"type":"text","text":"done"}}]}',
  "completion/complete": '{$RESULT"completion":{"values":["done"]}}',
};
const LEGACY = {
  initialize: `{"protocolVersion":"$VERSION","capabilities":${CAPABILITIES},${INFO}}`,
  ping: "{}",
  "logging/setLevel": "{}",
};
const MODERN = {
  "server/discover": `{$RESULT$CACHE"supportedVersions":["2026-07-28"],"capabilities":${CAPABILITIES},${INFO}}`,
};

/** Returns the error of a method that a server of the revision does not know. */
function unknown(revision, method) {
  if (isModern(revision) && method === "initialize")
    return '"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}';
  return '"error":{"code":-32601,"message":"Method not found"}';
}

/** Returns the response that a server gives without a script; undefined if there is none. */
export function usualResponse(message, revision) {
  if (message.method === undefined || message.id === undefined) return undefined;
  const known = { ...RESULTS, ...(isModern(revision) ? MODERN : LEGACY) };
  const result = Object.hasOwn(known, message.method) ? known[message.method] : undefined;
  const end =
    result === undefined
      ? unknown(revision, message.method)
      : `"result":${result.replace("$VERSION", revision)}`;
  return bytesOf(`{"jsonrpc":"2.0","id":$ID,${end}}`, revision, { id: message.id });
}

/**
 * Starts a scripted server.
 * @returns `take`, a function that a case sets: it gets each message, and returns true if the case takes care of it;
 * `inbox`, what arrived; `command` and `url` for a checker; `reconnect(revision)`, which forgets everything; `close`
 */
export async function scriptedServer() {
  const server = { inbox: new Inbox(), revision: "2025-11-25", take: undefined };
  const sockets = new Set();

  function receive(bytes, link) {
    const message = messageOf(bytes, { link });
    const token = member(member(member(message.value, "params"), "_meta"), "progressToken");
    message.token = idText(token);
    const isTaken = server.take?.(message) === true;
    server.inbox.add(message);
    if (isTaken) return;
    const each = Array.isArray(message.value) ? message.value : [message.value];
    const responses = each
      .map((value) => ({ method: member(value, "method"), id: idText(member(value, "id")) }))
      .map((one) => usualResponse(one, server.revision))
      .filter((response) => response !== undefined);
    if (Array.isArray(message.value)) {
      if (responses.length > 0) link.write(Buffer.from(`[${responses.join(",")}]`), true);
      else link.accept();
    } else if (responses.length > 0) link.write(responses[0], true);
    else link.accept();
  }

  const pipe = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const link = {
      write: (bytes) => socket.write(Buffer.concat([bytes, Buffer.from("\n")])),
      accept() {},
    };
    onLines(socket, (line) => receive(line, link));
  });
  const http = createHttp((request, response) => answerHttp(request, response, server, receive));
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  for (const one of [pipe, http]) {
    one.listen(0, "127.0.0.1");
    await once(one, "listening");
  }
  server.command = [process.execPath, PIPE, String(pipe.address().port)];
  server.url = `http://127.0.0.1:${http.address().port}/mcp`;
  server.close = () => {
    for (const socket of sockets) socket.destroy();
    pipe.close();
    http.close();
  };
  return server;
}

async function answerHttp(request, response, server, receive) {
  response.on("error", () => {});
  if (request.method !== "POST") {
    response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    return;
  }
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  const session = isModern(server.revision) ? {} : { "mcp-session-id": randomUUID() };
  const isInitialize = /"method"\s*:\s*"initialize"/.test(body.toString("latin1").slice(0, 4_000));
  const link = {
    // A single message is sent as JSON; a message before a response turns the response into a stream.
    write(bytes, isLast = false) {
      if (response.writableEnded) return;
      if (isLast && !response.headersSent) {
        const head = { "content-type": "application/json", ...(isInitialize ? session : {}) };
        response.writeHead(200, head).end(bytes);
        return;
      }
      if (!response.headersSent)
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      response.write(
        Buffer.concat([Buffer.from("event: message\ndata: "), bytes, Buffer.from("\n\n")]),
      );
      if (isLast) response.end();
    },
    accept() {
      if (!response.headersSent) response.writeHead(202).end();
    },
  };
  receive(body, link);
}
