// PASSWORD=secret node examples/http/with-fastify.mjs
import { createNodeHandler } from "@touchstone/http";
import fastify from "fastify";
import { createGuard } from "./guard.mjs";
import { runAsProgram } from "./main.mjs";
import { handleCall, tools } from "./tools.mjs";

export async function start({ port, ...access }) {
  const guard = createGuard(access);
  const handler = createNodeHandler(tools, handleCall, { prefix: "/explorer", allowExecute: true });

  // Gives a request to the handler, and none of its body to Fastify's parsers.
  const explorer = async (request, reply) => {
    const refusal = guard(request.ip, request.headers.authorization);
    if (refusal !== undefined) {
      return reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
    }
    reply.hijack();
    handler(request.raw, reply.raw);
  };

  // A path whose percent-encoding is broken does not get as far as the routes.
  const app = fastify({ frameworkErrors: (_error, request, reply) => explorer(request, reply) });
  await app.register(async (scope) => {
    scope.addHook("onRequest", explorer);
    for (const path of ["/explorer", "/explorer/*"]) scope.all(path, async () => {});
  });

  const address = await app.listen({ port, host: "127.0.0.1" });
  return { url: `${address}/explorer/`, close: () => app.close() };
}

await runAsProgram(import.meta.url, start);
