import { ToolValidator, type ToolValidatorOptions } from "../client/tool-validator.ts";
import { type Script, scripted } from "./scripted.ts";

export const GOOD = { path: "/tmp/a" };
export const ANNOUNCED = { supported: true };

/**
 * Returns a function that starts scripted servers, each with a validator for the server `files`. Adds them to `open`,
 * to be closed.
 */
export function validating(open: { close(): unknown }[]) {
  return async function start(
    script: Script,
    options: ToolValidatorOptions = {},
    generation: "v1" | "v2" = "v2",
  ) {
    const lines: string[] = [];
    const made = await scripted(script, generation);
    open.push(made.client, made.server);
    const logger = { warn: (line: string) => lines.push(line) };
    const validator = new ToolValidator({ files: made.client }, { logger, ...options });
    return { ...made, validator, lines };
  };
}
