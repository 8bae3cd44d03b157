import type { GatewayConfig } from "@touchstone/gateway/config";
import { codeOf } from "@touchstone/gateway/errors";
import {
  createLogger,
  jsonLine,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type Logger,
  type LogSettings,
  relayedLine,
} from "@touchstone/gateway/log";
import type { CheckingOptions } from "./common-options.ts";
import { ending } from "./ending.ts";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import type { CliIo } from "./io.ts";
import { actsOnEscapes, terminalWidth } from "./terminal/capable.ts";
import { timeOfDay } from "./terminal/time-of-day.ts";

type Logging = NonNullable<GatewayConfig["logging"]>;

/** Longest text of an end: all faults of a configuration are told. */
const MAX_END = 100_000;

/** How a table is to look. */
export interface TableLook {
  readonly width: number | undefined;
  readonly colour: boolean;
}

/** The log of a command that runs for long, on stderr. */
export interface CommandLog {
  readonly log: Logger;
  /**
   * Writes a table for people, if the log is one for people and writes what is informative.
   * @param render makes it; `width` is undefined if there is no limit
   * @returns false if it was not written
   */
  table(render: (look: TableLook) => string): boolean;
  /** A line that a server wrote to its own stderr. */
  readonly stderr: (server: string, line: string) => void;
  /** Goes on by what the configuration file says, where the operator typed nothing else. */
  take(logging: GatewayConfig["logging"]): void;
  /** Does the work; where it fails, the log tells why in its own format. */
  telling<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Returns the log by `--log-format`, else `TOUCHSTONE_LOG_FORMAT`, else the file's `logging.format`, else as
 * text; the level alike, without a variable. On a terminal each line begins with the time of day.
 * @throws CliExit where the variable names no format
 */
export function commandLog(options: CheckingOptions, { env, stderr, now }: CliIo): CommandLog {
  const format = options.logFormat ?? formatIn(env);
  const settings = ({ level, format: form }: Logging = {}): LogSettings => ({
    level: options.logLevel ?? level ?? "info",
    format: format ?? form ?? "text",
  });
  const holds = settings();
  const write = (line: string): void => {
    const isForPeople = stderr.isTTY === true && holds.format === "text";
    stderr.write(isForPeople ? `${timeOfDay(now())} ${line}` : line);
  };
  return {
    log: createLogger(write, holds),
    table(render) {
      const isShown = LOG_LEVELS.indexOf(holds.level) <= LOG_LEVELS.indexOf("info");
      if (holds.format !== "text" || !isShown) return false;
      const width = terminalWidth(stderr);
      stderr.write(render({ width, colour: actsOnEscapes(stderr, env) && !env["NO_COLOR"] }));
      return true;
    },
    stderr: (server, line) => void stderr.write(relayedLine(server, line, holds.format)),
    take: (logging) => void Object.assign(holds, settings(logging)),
    async telling(work) {
      try {
        return await work();
      } catch (error) {
        if (holds.format === "text") throw error;
        const { code, text } = ending(error);
        if (text !== "") stderr.write(`${jsonLine("error", text, codeField(error), MAX_END)}\n`);
        throw new CliExit(code);
      }
    },
  };
}

function formatIn(env: CliIo["env"]): LogFormat | undefined {
  const named = env["TOUCHSTONE_LOG_FORMAT"];
  if (named === undefined || named === "") return undefined;
  const format = LOG_FORMATS.find((known) => known === named);
  if (format !== undefined) return format;
  throw new CliExit(
    EXIT_USAGE,
    `TOUCHSTONE_LOG_FORMAT is ${JSON.stringify(named)}; set it to ${LOG_FORMATS.join(" or ")}, or unset it`,
  );
}

/** Returns the field of a line about an error, where that has a code. */
export function codeField(error: unknown): { readonly code?: string } {
  const code = codeOf(error);
  return code === "" ? {} : { code };
}
