// Measures what a hostile server or client costs a gateway: `touchstone serve` in a separate process, with a server
// that sends the data of a row, and a client that sends its requests.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NODE, said, start, stop, TOUCHSTONE, temporary } from "../gateway/processes.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const LISTENING = /(http:\/\/127\.0\.0\.1:\d+)/;
/** Work after the response, such as records, counts as well. */
const AFTER_MS = 300;

/** The revision without sessions. */
const MODERN = "2026-07-28";

/** A client of one session; with 2026-07-28, a client that sends requests without a session. */
class Session {
  #url;
  #version;
  #capabilities;
  #id;

  constructor(url, version, capabilities) {
    this.#url = url;
    this.#version = version;
    this.#capabilities = capabilities;
  }

  get #isModern() {
    return this.#version === MODERN;
  }

  /** Posts a text and returns the text of the response. */
  async post(body, headers = {}) {
    const response = await fetch(this.#url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
        ...(this.#id === undefined
          ? {}
          : { "mcp-session-id": this.#id, "mcp-protocol-version": this.#version }),
      },
    });
    this.#id ??= response.headers.get("mcp-session-id") ?? undefined;
    return { status: response.status, text: await response.text() };
  }

  request(method, params = "{}") {
    if (this.#isModern) return this.#modern(method, params);
    return this.post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
  }

  #modern(method, params) {
    const { name } = JSON.parse(params);
    const more = params === "{}" ? "{" : `${params.slice(0, -1)},`;
    const meta = JSON.stringify({
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": this.#capabilities,
    });
    const message = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${more}"_meta":${meta}}}`;
    return this.post(message, {
      ...{ "mcp-protocol-version": MODERN, "mcp-method": method },
      ...(name === undefined ? {} : { "mcp-name": name }),
    });
  }

  call(name, args) {
    return this.request("tools/call", `{"name":"${name}","arguments":${args}}`);
  }

  async open() {
    if (this.#isModern) return this.request("tools/list");
    const clientInfo = { name: "bench", version: "1" };
    const [protocolVersion, capabilities] = [this.#version, this.#capabilities];
    const params = { protocolVersion, capabilities, clientInfo };
    const opened = await this.request("initialize", JSON.stringify(params));
    await this.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return opened;
  }
}

/** The server's tools while the gateway warms up: a process that has just started also loads its modules. */
const ORDINARY = '{"tools":[{"name":"t0","inputSchema":{"type":"object"}}]}';

/** Opens a session, lists the tools and calls one, twice. */
async function warmUp(open) {
  for (let i = 0; i < 2; i += 1) {
    const session = open();
    await session.open();
    await session.request("tools/list");
    await session.call("t0", "{}");
  }
}

/**
 * Measures a row in a separate gateway.
 *
 * - `touchstone`: settings of the server; `config`: settings of the gateway
 * - `ordinary`: the result of `tools/list` during the warm-up
 * - `results`: the text of a result, or a function that returns it, by method
 * - `version`: the revision that the client uses; default 2025-11-25
 * - `capabilities`: what the client declares; default: none
 * - `overHttp`: whether the server is reached at a URL; default: a child process
 * - `files`: texts of files next to the configuration, by name
 * - `prepare`: a function that runs with these results before the measurement; default: nothing. It also receives a
 *   function that writes such a file
 * - `run`: the measured function. It receives a session that is not open yet, or the one of `prepare`, and the
 *   gateway's URL
 *
 * Returns the longest turn in milliseconds of processor time, how much memory grew in bytes, and the last response.
 */
export async function measureRow({
  touchstone = {},
  config = {},
  ordinary = ORDINARY,
  results = {},
  version = "2025-11-25",
  capabilities = {},
  overHttp = false,
  files = {},
  prepare,
  run,
}) {
  const directory = temporary();
  const [file, turns] = [join(directory, "results.json"), join(directory, "turns.jsonl")];
  const setResults = (given) => {
    const made = Object.entries(given).map(([key, of]) => [
      key,
      typeof of === "function" ? of() : of,
    ]);
    // The server must not read an incomplete file: it would crash, and be restarted a second later.
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(made)));
    renameSync(`${file}.new`, file);
  };
  const write = (name, text) => writeFileSync(join(directory, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  setResults({ "tools/list": ordinary });
  writeFileSync(turns, "");
  const upstream = overHttp ? start([path("./http-server.mjs"), file]) : undefined;
  const server =
    upstream === undefined
      ? { command: NODE, args: [path("./server.mjs"), file], touchstone }
      : { url: `${await said(upstream, upstream.stdout, LISTENING)}/mcp`, touchstone };
  const settings = { ...config, mcpServers: { s: server }, listen: { address: "127.0.0.1:0" } };
  writeFileSync(join(directory, "touchstone.json"), JSON.stringify(settings));
  const child = start(
    [
      ...["--import", path("./monitor.mjs"), TOUCHSTONE, "serve"],
      ...["--config", join(directory, "touchstone.json"), "--data-dir", join(directory, "data")],
    ],
    { TOUCHSTONE_BENCH_TURNS: turns },
  );
  try {
    const url = await said(child, child.stderr, LISTENING);
    const open = () => new Session(`${url}/mcp/s`, version, capabilities);
    await warmUp(open);
    setResults({ "tools/list": ordinary, ...results });
    const session = open();
    await prepare?.(session, url, write);
    await wait(AFTER_MS);
    const begin = readFileSync(turns).length;
    const before = peakOf(child.pid);
    const response = await run(session, url);
    await wait(AFTER_MS);
    const lines = readFileSync(turns).subarray(begin).toString().split("\n").filter(Boolean);
    const seen = lines.map((line) => JSON.parse(line));
    return {
      longest: Math.max(0, ...seen.map(({ ms }) => ms)),
      grown: Math.max(0, peakOf(child.pid) - before),
      response,
    };
  } finally {
    await stop(child);
    if (upstream !== undefined) await stop(upstream);
  }
}

/** The largest size of a process so far, in bytes. */
function peakOf(pid) {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}
