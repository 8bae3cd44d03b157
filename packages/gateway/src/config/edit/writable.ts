import { accessSync, constants, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "@touchstone/util";

/** Returns the system's code for why this process cannot replace a file; undefined if it can. */
export function writeFault(file: string): string | undefined {
  try {
    const target = realpathSync(file);
    accessSync(target, constants.W_OK);
    accessSync(dirname(target), constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) || "unknown error";
  }
}
