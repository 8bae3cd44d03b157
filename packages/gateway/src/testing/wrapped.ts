import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { ActivityRecord } from "../../../records/src/record.ts";
import { recordsIn } from "../../../records/src/testing/records-in.ts";
import { tempDir } from "../../../records/src/testing/temp-dir.ts";
import { createLogger } from "../../../util/src/log.ts";
import { type Overrides, settingsFromOverrides } from "../config/overrides.ts";
import { type WrapOptions, wrap } from "../wrap.ts";
import { LineLog } from "./line-log.ts";
import { type Answer, answers, parseAnswer } from "./messages.ts";

export { recordsIn, tempDir };

export interface Wrapped {
  readonly dataDir: string;
  /** Sends a message, or a line unchanged. */
  send(...messages: readonly (object | string)[]): void;
  /** Returns the line that answers a request, unchanged. */
  line(id: number | string): Promise<string>;
  answer(id: number | string): Promise<Answer>;
  /** Everything that the client received. */
  readonly received: LineLog;
  /** Lines of the gateway's own log, and of the server's stderr as `[server] …`. */
  readonly log: LineLog;
  records(): Promise<readonly ActivityRecord[]>;
  /** Closes the client's side; returns the exit status. */
  close(): Promise<number>;
  /** The exit status, once both sides have left. */
  readonly ended: Promise<number>;
  /** The client's streams, to break them. */
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Ends the gateway as a signal does. */
  abort(): void;
}

export interface WrappedOptions
  extends Overrides,
    Partial<
      Pick<
        WrapOptions,
        | "tools"
        | "limits"
        | "env"
        | "command"
        | "dataDir"
        | "name"
        | "activity"
        | "caller"
        | "changes"
      >
    > {}

/**
 * Wraps a real child process in this process, for the running test, with a client that speaks raw
 * lines.
 * @param args arguments of `node`, or of `options.command`
 */
export function wrapped(args: readonly string[], options: WrappedOptions = {}): Wrapped {
  const {
    tools,
    limits,
    env,
    command,
    activity,
    caller,
    changes,
    dataDir = tempDir(),
    name = "server",
  } = options;
  const input = new PassThrough();
  const output = new PassThrough();
  const received = new LineLog();
  const log = new LineLog();
  const abort = new AbortController();
  output.on("data", (chunk: Buffer) => received.push(chunk));
  const run = wrap({
    name,
    command: command ?? process.execPath,
    args,
    settings: settingsFromOverrides(options),
    dataDir,
    env: { ...process.env, ...env },
    input,
    output,
    stderr: (line) => log.add(`[server] ${line}`),
    log: createLogger((line) => log.add(line.trimEnd()), "info"),
    signal: abort.signal,
    caller,
    ...(tools === undefined ? {} : { tools }),
    ...(limits === undefined ? {} : { limits }),
    ...(activity === undefined ? {} : { activity }),
    ...(changes === undefined ? {} : { changes }),
  });
  const ended = run.finally(() => {
    received.end();
    log.end();
  });
  // A test that expects the failure awaits `ended` itself.
  ended.catch(() => {});
  onTestFinished(async () => {
    abort.abort();
    await ended.catch(() => {});
  });
  const line = (id: number | string): Promise<string> => received.find(answers(id));
  return {
    dataDir,
    send(...messages) {
      for (const message of messages) {
        input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
      }
    },
    line,
    answer: async (id) => parseAnswer(await line(id)),
    received,
    log,
    records: () => recordsIn(dataDir),
    close() {
      input.end();
      return ended;
    },
    ended,
    input,
    output,
    abort: () => abort.abort(),
  };
}
