// PASSWORD=secret node examples/http/with-hono.mjs
import { once } from "node:events";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createHandler } from "@touchstone/http";
import { Hono } from "hono";
import { createGuard } from "./guard.mjs";
import { runAsProgram } from "./main.mjs";
import { handleCall, tools } from "./tools.mjs";

export async function start({ port, ...access }) {
  const guard = createGuard(access);
  const handler = createHandler(tools, handleCall, { prefix: "/explorer", allowExecute: true });
  const app = new Hono();

  app.use("/explorer/*", async (context, next) => {
    const client = getConnInfo(context).remote.address;
    const refusal = guard(client, context.req.header("authorization"));
    if (refusal === undefined) return next();
    return context.json(refusal.body, refusal.status, refusal.headers);
  });
  // "/explorer/*" is also "/explorer" in Hono.
  app.all("/explorer/*", (context) => handler(context.req.raw));

  const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
  if (!server.listening) await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/explorer/`;
  return { url, close: () => server.close() };
}

await runAsProgram(import.meta.url, start);
