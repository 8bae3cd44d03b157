import { CommanderError } from "commander";
import { CliExit, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./exit.ts";
import { writeReason } from "./write-error.ts";

/**
 * Errors whose message is meant for the user, and the exit status of each. By name, so that a
 * command does not load the rooms of the others.
 */
const TOLD: ReadonlyMap<string, number> = new Map([
  ["ActivityError", EXIT_FAILED],
  ["CaptureError", EXIT_FAILED],
  ["ConfigError", EXIT_USAGE],
  ["ListenError", EXIT_FAILED],
  ["TelemetryError", EXIT_FAILED],
  ["ThreadError", EXIT_FAILED],
]);

/** How an error ends the process. */
export interface Ending {
  /** The exit status. */
  readonly code: number;
  /** What is said on stderr; empty where it has been said. */
  readonly text: string;
}

/** How an error ends the process. */
export function ending(error: unknown): Ending {
  if (error instanceof CliExit) return { code: error.code, text: error.message };
  // Commander has printed its own text; help and --version end with 0.
  if (error instanceof CommanderError) {
    return { code: error.exitCode === 0 ? EXIT_OK : EXIT_USAGE, text: "" };
  }
  if (!(error instanceof Error)) return { code: EXIT_FAILED, text: unexpected(String(error)) };
  const code = TOLD.get(error.name);
  if (code !== undefined) return { code, text: told(error) };
  return { code: EXIT_FAILED, text: unexpected(error.stack ?? error.message) };
}

/** An error's message; the system's own words at the end of it as everywhere else. */
function told({ name, message, cause }: Error): string {
  if (name !== "CaptureError" || !(cause instanceof Error)) return message;
  return message.replace(cause.message, () => writeReason(cause));
}

function unexpected(text: string): string {
  return `internal error, please report it: ${text}`;
}
