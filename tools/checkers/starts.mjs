// How each checker is started. A checker connects a client to the scripted server; `prefix` is what it puts before
// the names of tools, `owns: "lists"` means that it fetches lists at other times than a client requests them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isModern } from "./cases.mjs";
import { contextForge } from "./context-forge.mjs";
import { npmCommand, pythonCommand, secret } from "./installed.mjs";
import { overHttp, overStdio } from "./processes.mjs";

const NODE = process.execPath;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const TOUCHSTONE = here("../../packages/cli/bin/touchstone.js");

const touchstone = (mode) =>
  overStdio((server) => ({
    words: [
      NODE,
      TOUCHSTONE,
      "wrap",
      "--mode",
      mode,
      "--log-level",
      "error",
      "--",
      ...server.command,
    ],
    env: (folder) => ({ TOUCHSTONE_DATA_DIR: join(folder, "data") }),
  }));

const touchstoneVersion = () =>
  JSON.parse(readFileSync(here("../../packages/cli/package.json"), "utf8")).version;

/**
 * Touchstone keeps the order of messages without a response, so a missing one is detected early. Everything else may
 * take long on a busy machine; in milliseconds.
 */
const IN_ORDER = { grace: { response: 10_000, none: 200 }, limit: 30_000 };

/** The names are those in peers.json, except for Touchstone's two modes. */
export const CHECKERS = [
  {
    name: "touchstone-strict",
    title: "Touchstone, strict",
    client: "stdio",
    server: "stdio",
    version: touchstoneVersion,
    ...IN_ORDER,
    start: touchstone("strict"),
  },
  {
    name: "touchstone-warn",
    title: "Touchstone, warn",
    client: "stdio",
    server: "stdio",
    version: touchstoneVersion,
    ...IN_ORDER,
    start: touchstone("warn"),
  },
  {
    name: "fastmcp",
    title: "FastMCP proxy",
    client: "stdio",
    server: "stdio",
    start: overStdio((server, { cache }) => ({
      words: [
        pythonCommand(cache, "fastmcp", "python"),
        here("fastmcp_proxy.py"),
        ...server.command,
      ],
    })),
  },
  {
    name: "mcp-proxy",
    title: "mcp-proxy",
    client: "HTTP",
    server: "stdio",
    start: overHttp((server, port, { cache }) => ({
      words: [
        NODE,
        npmCommand(cache, "mcp-proxy"),
        ...["--port", String(port), "--host", "127.0.0.1", "--server", "stream"],
        ...(isModern(server.revision) ? ["--upstreamProtocol", "auto"] : []),
        "--",
        ...server.command,
      ],
    })),
  },
  {
    name: "supergateway",
    title: "supergateway",
    client: "HTTP",
    server: "stdio",
    start: overHttp((server, port, { cache }) => ({
      words: [
        NODE,
        npmCommand(cache, "supergateway"),
        ...["--stdio", server.command.map((word) => `"${word}"`).join(" ")],
        ...["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"],
        ...["--port", String(port)],
      ],
    })),
  },
  {
    name: "mcp-remote",
    title: "mcp-remote",
    client: "stdio",
    server: "HTTP",
    start: overStdio((server, { cache }) => ({
      words: [
        NODE,
        npmCommand(cache, "mcp-remote"),
        server.url,
        ...["--allow-http", "--transport", "http-only"],
        ...(isModern(server.revision) ? ["--protocol", "auto"] : []),
      ],
    })),
  },
  {
    name: "litellm",
    title: "LiteLLM",
    client: "HTTP",
    server: "stdio",
    prefix: "demo-",
    start: overHttp((server, port, { cache }) => {
      const key = `sk-${secret()}`;
      return {
        words: [
          pythonCommand(cache, "litellm", "litellm"),
          ...["--config", "config.yaml", "--host", "127.0.0.1", "--port", String(port)],
        ],
        env: (folder) => {
          const [command, ...args] = server.command;
          const demo = { transport: "stdio", command, args };
          const config = { general_settings: { master_key: key }, mcp_servers: { demo } };
          writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
          return { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_ENABLE_MCP_STDIO: "true" };
        },
        path: "/mcp/",
        headers: { "x-litellm-api-key": `Bearer ${key}` },
      };
    }),
  },
  {
    name: "mcp-contextforge-gateway",
    title: "ContextForge",
    client: "HTTP",
    server: "HTTP",
    prefix: "demo-",
    owns: "lists",
    start: overHttp(contextForge),
  },
];
