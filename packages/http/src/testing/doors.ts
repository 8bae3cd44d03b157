import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import {
  buildUIRoutes,
  createHandler,
  createNodeHandler,
  type ToolCallHandler,
  type ToolsProvider,
  type UIConfig,
} from "../index.ts";

/** An API that is served. */
export interface Served {
  /** Where it is mounted, without a slash at the end. */
  readonly url: string;
  /** Sends a request to a path below the mount. */
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** A way to serve the API, such as a framework in which it is mounted under a path. */
export interface Door {
  readonly name: string;
  /** Whether there is an HTTP server, so that a test can cut its connections. */
  readonly server: boolean;
  /**
   * Whether tool names in a path may contain slashes that are not encoded. They may not if the framework splits paths
   * at slashes.
   */
  readonly rawSlashes: boolean;
  open(tools: ToolsProvider, handleCall: ToolCallHandler, options: UIConfig): Promise<Served>;
}

const MOUNT = "/explorer";

async function served(server: Server, close: () => Promise<void>): Promise<Served> {
  if (!server.listening)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${MOUNT}`;
  return { url, send: (path, init) => fetch(url + path, init), close };
}

function closing(server: Server): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

function listen(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  return served(server, closing(server));
}

export const DOORS: readonly Door[] = [
  {
    name: "fetch handler",
    server: false,
    rawSlashes: true,
    async open(tools, handleCall, options) {
      const handler = createHandler(tools, handleCall, options);
      const url = `http://localhost${MOUNT}`;
      return {
        url,
        send: (path, init) => handler(new Request(url + path, init), MOUNT),
        close: async () => {},
      };
    },
  },
  {
    name: "node:http",
    server: true,
    rawSlashes: true,
    open: (tools, handleCall, options) =>
      listen(createNodeHandler(tools, handleCall, { ...options, prefix: MOUNT })),
  },
  {
    name: "Express 5",
    server: true,
    rawSlashes: true,
    async open(tools, handleCall, options) {
      const app = express();
      app.use(MOUNT, createNodeHandler(tools, handleCall, options));
      return listen(app);
    },
  },
  {
    name: "Fastify 5",
    server: true,
    rawSlashes: true,
    async open(tools, handleCall, options) {
      const handler = createNodeHandler(tools, handleCall, { ...options, prefix: MOUNT });
      const app = fastify({
        exposeHeadRoutes: false,
        // Fastify does not pass a path with invalid percent-encoding to the routes, so it is handled here.
        frameworkErrors(_error, request, reply) {
          reply.hijack();
          handler(request.raw, reply.raw);
        },
      });
      await app.register(async (scope) => {
        // Handles the request before Fastify reads the body, which must be checked byte for byte.
        scope.addHook("onRequest", async (request, reply) => {
          reply.hijack();
          handler(request.raw, reply.raw);
        });
        const nothing = async (): Promise<void> => {};
        scope.all(MOUNT, nothing);
        scope.all(`${MOUNT}/*`, nothing);
      });
      await app.listen({ port: 0, host: "127.0.0.1" });
      return served(app.server, async () => {
        app.server.closeAllConnections();
        await app.close();
      });
    },
  },
  {
    name: "Hono 4",
    server: true,
    rawSlashes: true,
    async open(tools, handleCall, options) {
      const handler = createHandler(tools, handleCall, options);
      const app = new Hono();
      app.all(MOUNT, (context) => handler(context.req.raw, MOUNT));
      app.all(`${MOUNT}/*`, (context) => handler(context.req.raw, MOUNT));
      const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
      if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
      return served(server, closing(server));
    },
  },
  {
    name: "routes in Hono 4",
    server: false,
    rawSlashes: false,
    async open(tools, handleCall, options) {
      const app = new Hono({ strict: false }).basePath(MOUNT);
      for (const { method, pattern, handler } of buildUIRoutes(tools, handleCall, options)) {
        app.on(method, pattern, (context) => handler(context.req.raw, context.req.param()));
      }
      const url = `http://localhost${MOUNT}`;
      return {
        url,
        send: async (path, init) => app.request(`${url}${path}`, init),
        close: async () => {},
      };
    },
  },
];

/**
 * Returns whether `npm test` runs long suites with an interface. All others pass a framework's requests to the same
 * handlers.
 */
export const isFirst = ({ name }: Door): boolean => ["fetch handler", "node:http"].includes(name);
