// PASSWORD=secret node examples/http/with-express.mjs
import { once } from "node:events";
import { createNodeHandler } from "@touchstone/http";
import express from "express";
import { createGuard } from "./guard.mjs";
import { runAsProgram } from "./main.mjs";
import { handleCall, tools } from "./tools.mjs";

export async function start({ port, ...access }) {
  const guard = createGuard(access);
  const app = express();

  app.use("/explorer", (request, response, next) => {
    const refusal = guard(request.ip, request.headers.authorization);
    if (refusal === undefined) next();
    else response.status(refusal.status).set(refusal.headers).json(refusal.body);
  });
  // Before express.json(), so that arguments are checked as they came.
  app.use("/explorer", createNodeHandler(tools, handleCall, { allowExecute: true }));
  app.use(express.json());

  const server = app.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/explorer/`;
  return { url, close: () => server.close() };
}

await runAsProgram(import.meta.url, start);
