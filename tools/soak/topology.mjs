// The setup of a soak: one `touchstone serve` with servers of every kind, whose configuration changes while it runs,
// and processes of `touchstone wrap` that share its data directory.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NODE, said, startNode, startTouchstone } from "./processes.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const STDIO = path("./upstream/stdio.mjs");
const HTTP = path("./upstream/http.mjs");
const LIMITS = { request_bytes: 1_000_000, upstream_frame_bytes: 2_000_000 };
const MAX_BYTES = 100_000;

const settings = (mode, more = {}) => ({
  input: mode,
  output: mode,
  protocol: mode,
  missing: "block",
  ...more,
});
export const MODES = { warn: settings("warn"), strict: settings("strict"), off: settings("off") };
const MIXED = settings("warn", { input: "strict", protocol: "off" });

/** Returns settings as keys of a configuration. */
const keys = ({ input, output, protocol, missing }) => ({
  // Some calls have members that their tools do not declare.
  input_validation: { mode: input, max_bytes: MAX_BYTES, undeclared: "allow" },
  output_validation: { mode: output, max_bytes: MAX_BYTES, missing_structured_content: missing },
  protocol_validation: { mode: protocol },
});

export class Topology {
  /** Current settings of each server of `serve`: more than one while a change is in progress. */
  #holds = new Map([
    ["warning", [MODES.warn]],
    ["strict", [MODES.strict]],
    ["mixed", [MIXED]],
    ["changing", [MODES.warn]],
    ["crashing", [MODES.warn]],
    ["web-strict", [MODES.strict]],
    ["web-warning", [MODES.warn]],
  ]);
  lines = [];
  #waiting = [];

  /** @param {(name: string, line: string) => void} onLine receives each line on stderr */
  constructor(onLine) {
    this.directory = mkdtempSync(join(tmpdir(), "touchstone-soak-"));
    // Runs even if the soak is interrupted.
    process.once("exit", () => rmSync(this.directory, { recursive: true, force: true }));
    /** Part of the command line of every process of this soak, and of no other. */
    this.run = basename(this.directory);
    this.dataDir = join(this.directory, "records");
    const configuration = join(this.directory, "configuration");
    mkdirSync(configuration);
    this.config = join(configuration, "touchstone.json");
    this.onLine = onLine;
  }

  get servers() {
    return [...this.#holds.keys()];
  }

  /** Returns the settings that may currently apply to a server. */
  settingsOf(server) {
    return this.#holds.get(server);
  }

  upstream(name) {
    return [STDIO, "--run", this.run, "--name", name];
  }

  async start() {
    this.web = startNode([HTTP, "--run", this.run], { onLine: (line) => this.onLine("web", line) });
    const [, port] = await said(this.web, this.web.stdout, /^(\d+)\n/);
    this.webUrl = `http://127.0.0.1:${port}/mcp`;
    this.write();
    this.serve = startTouchstone(
      ["serve", "--config", this.config, "--data-dir", this.dataDir, "--listen", "127.0.0.1:0"],
      (line) => this.#onServeLine(line),
    );
    // The end of the process is reported only after its output has been read.
    this.serve.stdout.resume();
    const [, listen] = await this.said(/ready listen=(\S+)/);
    this.url = `http://${listen}`;
  }

  /** Writes the configuration atomically; `guest` is whether it includes the server that is added and removed. */
  write({ guest = false, text } = {}) {
    const entries = [...this.#holds].map(([name, held]) => {
      const upstream = name.startsWith("web-")
        ? { url: this.webUrl }
        : { command: NODE, args: this.upstream(name) };
      return [name, { ...upstream, touchstone: keys(held.at(-1)) }];
    });
    if (guest) {
      const touchstone = { input_validation: { undeclared: "allow" } };
      entries.push(["guest", { command: NODE, args: this.upstream("guest"), touchstone }]);
    }
    const whole = {
      mcpServers: Object.fromEntries(entries),
      activity: { bodies: true },
      limits: LIMITS,
      telemetry: { metrics: true },
    };
    writeFileSync(`${this.config}.new`, text ?? JSON.stringify(whole, null, 2));
    renameSync(`${this.config}.new`, this.config);
  }

  /** Changes the mode of the server `changing`. Resolves when the new mode is in effect. */
  async change(mode, guest) {
    const held = this.#holds.get("changing").at(-1);
    this.#holds.set("changing", [held, MODES[mode]]);
    const told = this.said(/the configuration has changed/);
    this.write({ guest });
    await told;
    this.#holds.set("changing", [MODES[mode]]);
  }

  /** Writes an invalid configuration. Resolves when it has been refused. */
  async breakIt() {
    const told = this.said(/refused; the old one stays in effect/);
    this.write({ text: '{ "mcpServers": ' });
    await told;
  }

  /** Returns the arguments of a `wrap` in front of a process, or of the server at a URL. */
  wrapArgs(name, held, { web = false } = {}) {
    const config = join(this.directory, `${name}.json`);
    const whole = { ...keys(held), activity: { bodies: true }, limits: LIMITS };
    writeFileSync(config, JSON.stringify(whole));
    const own = ["--name", name, "--config", config, "--data-dir", this.dataDir];
    return [...own, ...(web ? ["--url", this.webUrl] : ["--", NODE, ...this.upstream(name)])];
  }

  /** Resolves with the match in the next line of `serve` that matches. */
  said(wanted) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ wanted, resolve });
      void this.serve.ended.then((code) => reject(new Error(`serve ended with ${code}`)));
    });
  }

  #onServeLine(line) {
    this.onLine("serve", line);
    this.#waiting = this.#waiting.filter(({ wanted, resolve }) => {
      const found = wanted.exec(line);
      if (found) resolve(found);
      return found === null;
    });
  }
}
