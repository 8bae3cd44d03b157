import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "./files.ts";

/** The result of a command: its status, and all of its output. */
export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** A command that runs until it is stopped. */
interface Running {
  readonly command: string;
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  output(): string;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  (exitCode ?? signalCode) !== null;

const MODULES = join(ROOT, "node_modules");

/** The programs on the `PATH`. `npx` takes seconds to find the program: this replacement runs it at once. */
const PROGRAMS = {
  touchstone: `exec '${process.execPath}' '${join(ROOT, "packages/cli/bin/touchstone.js")}' "$@"`,
  npx: `[ "$1" = -y ] && shift; name=$1; shift
case $name in
  @modelcontextprotocol/server-*) exec '${process.execPath}' "${MODULES}/$name/dist/index.js" "$@";;
  *) exec "$name" "$@";;
esac`,
};

/**
 * A checkout as a reader of a page has it, with a separate home and separate records. Commands run in it as they are
 * typed, after the replacements of {@link Stage.replace}.
 */
export class Stage {
  readonly folder: string = mkdtempSync(join(tmpdir(), "touchstone-page-"));
  readonly home: string = join(this.folder, "home");
  /** Texts of a page, such as a port or an id, and their replacements here. */
  readonly replace: Map<string, string> = new Map();
  readonly env: Record<string, string | undefined>;
  readonly #running: Running[] = [];

  constructor() {
    for (const name of ["node_modules", "package.json", "packages", "examples", "tools"]) {
      symlinkSync(join(ROOT, name), join(this.folder, name));
    }
    const bin = join(this.folder, "bin");
    for (const made of [bin, this.home]) mkdirSync(made);
    for (const [name, script] of Object.entries(PROGRAMS)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    // Its progress output is meant for a terminal.
    writeFileSync(join(this.home, ".curlrc"), "silent\nshow-error\n");
    this.env = {
      ...process.env,
      PATH: [bin, process.env["PATH"]].join(delimiter),
      HOME: this.home,
      TOUCHSTONE_DATA_DIR: join(this.folder, "records"),
      NO_COLOR: "1",
      COLUMNS: "100",
    };
  }

  write(name: string, content: string | object): void {
    const path = join(this.folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }

  /** Returns a text of a page with the replacements. */
  here(text: string): string {
    return [...this.replace].reduce((done, [page, ours]) => done.replaceAll(page, ours), text);
  }

  #spawn(command: string, options: { readonly group: boolean }): Running {
    const child = spawn("bash", ["-c", `exec 2>&1; ${this.here(command)}`], {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", "inherit"],
      detached: options.group,
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    return { command, child, closed: once(child, "close"), output: () => text };
  }

  /** Runs a command that ends by itself. `$?` in the command is `before`. */
  async run(command: string, before = 0): Promise<Outcome> {
    const running = this.#spawn(`(exit ${before}); ${command}`, { group: false });
    await running.closed;
    return { status: running.child.exitCode, output: running.output() };
  }

  /**
   * Starts a command that does not end, and waits until its output matches `ready`.
   * @param meanwhile called again and again, to make the command print output
   * @throws if the command ends before that; with its output
   */
  async start(command: string, ready: RegExp, meanwhile?: () => Promise<unknown>): Promise<string> {
    const running = this.#spawn(command, { group: true });
    this.#running.push(running);
    const { child, closed } = running;
    while (!ready.test(running.output())) {
      if (hasEnded(child)) throw new Error(`${command} ended: ${running.output()}`);
      if (meanwhile) await meanwhile();
      else if (child.stdout) await Promise.race([once(child.stdout, "data"), closed]);
    }
    return running.output();
  }

  /** Stops the started commands, as Ctrl+C does; returns how each ended. */
  async stop(): Promise<readonly { readonly command: string; readonly status: number | null }[]> {
    const stopped = this.#running.splice(0).map(async ({ command, child, closed }) => {
      if (child.pid !== undefined && !hasEnded(child)) process.kill(-child.pid, "SIGINT");
      await closed;
      return { command, status: child.exitCode };
    });
    return Promise.all(stopped);
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
