// The two ends of every measured way: ends that do almost nothing, where a hop is most visible; those of the official
// SDK, as in real use; and a published server, which does some work.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpClient, stdioClient } from "./clients.mjs";
import {
  NODE,
  port,
  RECORDING_RELAY,
  RELAY,
  serve,
  start,
  TOUCHSTONE,
  temporary,
  UPSTREAM,
  wrap,
} from "./processes.mjs";
import { filesystem } from "./published.mjs";
import { sdkHttpClient, sdkStdioClient } from "./sdk-clients.mjs";

/**
 * By name: the server's file and arguments over stdio, and the function that makes a client from a process or a URL,
 * if any. `plain`: it also has tools without schemas.
 */
export const ENDPOINTS = {
  bare: {
    title: "a client and a server that do as little as they can",
    server: UPSTREAM,
    args: ["stdio"],
    plain: true,
    stdio: stdioClient,
    http: httpClient,
  },
  sdk: {
    title: "the client and the server of @modelcontextprotocol/sdk",
    server: fileURLToPath(new URL("./sdk-upstream.mjs", import.meta.url)),
    args: ["stdio"],
    plain: true,
    stdio: sdkStdioClient,
    http: sdkHttpClient,
  },
  published: { ...filesystem(), plain: false },
};

const records = () => join(temporary(), "records");

/**
 * Returns how to open each way, by name. A way is `{child, client}`; `child` is the hop's process.
 * @param touchstone the file of the measured command
 */
export function stdioWays({ server, args, stdio } = ENDPOINTS.bare, touchstone = TOUCHSTONE) {
  const over = (start) => async () => {
    const child = start();
    return { child, client: stdio(child) };
  };
  return {
    direct: over(() => start([server, ...args])),
    relay: over(() => start([RELAY, "stdio", NODE, server, ...args])),
    recording: over(() => start([RECORDING_RELAY, records(), NODE, server, ...args])),
    warn: over(() => wrap("warn", ["--", NODE, server, ...args], touchstone)),
    off: over(() => wrap("off", ["--", NODE, server, ...args], touchstone)),
  };
}

/** Returns the same for Streamable HTTP. @param url of the server */
export function httpWays(url, { http } = ENDPOINTS.bare, touchstone = TOUCHSTONE) {
  const over = (start) => async () => {
    const { child, url } = await start();
    return { child, client: http(url) };
  };
  return {
    direct: async () => ({ client: http(url) }),
    relay: over(() => port([RELAY, "http", url])),
    warn: over(() => serve({ url }, "warn", touchstone)),
    off: over(() => serve({ url }, "off", touchstone)),
  };
}
