// PASSWORD=secret node examples/http/with-node.mjs
import { once } from "node:events";
import { createServer } from "node:http";
import { createNodeHandler } from "@touchstone/http";
import { createGuard } from "./guard.mjs";
import { runAsProgram } from "./main.mjs";
import { handleCall, tools } from "./tools.mjs";

export async function start({ port, ...access }) {
  const guard = createGuard(access);
  const handler = createNodeHandler(tools, handleCall, { prefix: "/explorer", allowExecute: true });

  const server = createServer((request, response) => {
    const refusal = guard(request.socket.remoteAddress, request.headers.authorization);
    if (refusal === undefined) {
      handler(request, response);
      return;
    }
    response.writeHead(refusal.status, { ...refusal.headers, "content-type": "application/json" });
    response.end(JSON.stringify(refusal.body));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/explorer/`;
  return { url, close: () => server.close() };
}

await runAsProgram(import.meta.url, start);
