// Finds a port on which nothing listens.
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a free port of 127.0.0.1. Another process may take it before it is used. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
