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
import { errorExit } from "../io/error-exit.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { CheckingOptions } from "../options/common-options.ts";
import { interpretsEscapes, terminalWidth } from "../terminal/capable.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { timeOfDay } from "../terminal/time-of-day.ts";

type Logging = NonNullable<GatewayConfig["logging"]>;

/** Longest text of a final error, which may list all faults of a configuration. */
const MAX_END = 100_000;

/** The appearance of a table. */
export interface TableStyle {
  readonly width: number | undefined;
  readonly colour: boolean;
}

/** The log of a long-running command, on stderr. */
export interface CommandLog {
  readonly log: Logger;
  /**
   * Writes a table for people, if the log is in text form and includes level `info`.
   * @param render makes the table; `width` is undefined if there is no limit
   * @returns false if it was not written
   */
  table(render: (look: TableStyle) => string): boolean;
  /** Writes a line of a server's stderr. */
  readonly stderr: (server: string, line: string) => void;
  /** Applies the configuration file's settings, unless the command line has others. */
  take(logging: GatewayConfig["logging"]): void;
  /** Runs a function; if it fails, logs the reason in the log's format. */
  telling<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Returns the log: its format comes from `--log-format`, else `TOUCHSTONE_LOG_FORMAT`, else the file's
 * `logging.format`, else it is text; the level is chosen in the same way, but has no variable. On a terminal each
 * line begins with the time of day.
 * @throws CliExit if the variable's value is not a format
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
      stderr.write(render({ width, colour: interpretsEscapes(stderr, env) && !env["NO_COLOR"] }));
      return true;
    },
    stderr: (server, line) => void stderr.write(relayedLine(server, line, holds.format)),
    take: (logging) => void Object.assign(holds, settings(logging)),
    async telling(work) {
      try {
        return await work();
      } catch (error) {
        if (holds.format === "text") throw error;
        const { code, text } = errorExit(error);
        if (text !== "")
          stderr.write(`${jsonLine("error", text, errorCodeField(error), MAX_END)}\n`);
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

/** Returns the field for an error in a line, if it has a code. */
export function errorCodeField(error: unknown): { readonly code?: string } {
  const code = codeOf(error);
  return code === "" ? {} : { code };
}
