// The soak's server over Streamable HTTP, in both eras: `node http.mjs --run NAME` prints its port.
import { createServer } from "node:http";
import { answer, NoAnswer } from "./answer.mjs";

const JSON_TYPE = { "content-type": "application/json" };
let sessions = 0;
/** Requests that can be cancelled, by session and the text of the id. */
const underWay = new Map();

/** Responds with an event stream if notifications come first, else with JSON. */
function channel(response) {
  const event = (text) => response.write(`event: message\ndata: ${text}\n\n`);
  return {
    notify(text) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      event(text);
    },
    end(text, headers) {
      if (text === undefined && !response.headersSent) {
        // The request was cancelled: no response is due.
        response.writeHead(200, { "content-type": "text/event-stream" }).end();
        return;
      }
      if (!response.headersSent) {
        response.writeHead(200, { ...JSON_TYPE, ...headers }).end(text);
        return;
      }
      if (text !== undefined) event(text);
      response.end();
    },
  };
}

async function post(request, response, text) {
  const message = JSON.parse(text);
  const session = request.headers["mcp-session-id"] ?? "";
  const keyOf = (id) => `${session} ${JSON.stringify(id)}`;
  if (message.id === undefined || message.method === undefined) {
    const cancels = message.method === "notifications/cancelled" && session !== "";
    if (cancels) underWay.get(keyOf(message.params?.requestId))?.abort();
    response.writeHead(202).end();
    return;
  }
  const cancel = new AbortController();
  const key = keyOf(message.id);
  if (session !== "") underWay.set(key, cancel);
  response.once("close", () => cancel.abort());
  const out = channel(response);
  const headers = message.method === "initialize" ? { "mcp-session-id": `s${++sessions}` } : {};
  try {
    const ways = { notify: out.notify, noise: () => {}, cancelled: cancel.signal };
    out.end(await answer(text, message, ways), headers);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error.crash) response.destroy();
    else out.end(error.broken);
  } finally {
    if (underWay.get(key) === cancel) underWay.delete(key);
  }
}

const server = createServer((request, response) => {
  if (request.method === "DELETE") {
    response.writeHead(200).end();
    return;
  }
  if (request.method !== "POST") {
    response.writeHead(405, { allow: "POST, DELETE" }).end();
    return;
  }
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    post(request, response, Buffer.concat(parts).toString("utf8")).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      response.destroy();
    });
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();
