// A client of MCP 2025-11-25 over stdio that checks nothing, so that no list and no result is refused here.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "touchstone-survey", version: "1" },
};
const MAX_PAGES = 50;
/** How long a gateway may take to end its server and itself, milliseconds. It takes 4 s for one that ignores signals. */
const GRACE = 15_000;

/** Starts a command and talks to it. Every request rejects when `signal` aborts or the process ends. */
export class Client {
  #child;
  #waiting = new Map();
  #last = 0;
  #stderr = "";

  constructor(words, { env, cwd, signal }) {
    const [command, ...args] = words;
    this.#child = spawn(command, args, { env, cwd, stdio: "pipe", detached: true });
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.on("data", (bytes) => {
      this.#stderr = (this.#stderr + bytes).slice(-4000);
    });
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.once("error", (error) => this.#fail(error));
    this.#child.once("close", () => this.#fail(new Error(`ended: ${this.lastWords}`)));
    signal.addEventListener("abort", () => this.#fail(signal.reason));
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(line));
  }

  /** The last line of stderr. */
  get lastWords() {
    return this.#stderr.trim().split("\n").at(-1)?.slice(0, 160) ?? "";
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const { id, method } = message;
    if (method !== undefined) {
      // The server's own requests; nothing is offered to it.
      if (id !== undefined) this.#send({ id, error: { code: -32601, message: "not supported" } });
      return;
    }
    this.#waiting.get(id)?.resolve(message);
    this.#waiting.delete(id);
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.failed ??= error;
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request and returns the response, which may be an error. */
  request(method, params) {
    if (this.failed !== undefined) return Promise.reject(this.failed);
    this.#last += 1;
    const id = this.#last;
    const response = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ id, method, params });
    return response;
  }

  async start() {
    const { error } = await this.request("initialize", PARAMS);
    if (error !== undefined) throw new Error(`initialize: ${error.message}`);
    this.#send({ method: "notifications/initialized" });
  }

  /** Returns the tools of all pages. */
  async tools() {
    const tools = [];
    let cursor;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { result, error } = await this.request("tools/list", cursor ? { cursor } : {});
      if (error !== undefined) throw new Error(`tools/list: ${error.message}`);
      tools.push(...(result.tools ?? []));
      cursor = result.nextCursor;
      if (typeof cursor !== "string") break;
    }
    return tools;
  }

  /** Ends the process and what it started. */
  async end() {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#kill(), GRACE);
    await this.ended;
    clearTimeout(late);
    this.#kill();
  }

  #kill() {
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // All of the group have ended.
    }
  }
}
