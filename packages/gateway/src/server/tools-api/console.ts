import type { ConsoleAssets } from "@touchstone/http";
import { loadConsole } from "@touchstone/http/console";
import type { Logger } from "../../util/log.ts";

/** The built files of the console; none where it was not built, or cannot be served. */
export function readConsole(log: Logger): ConsoleAssets | undefined {
  try {
    return loadConsole();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn("the console cannot be served, so its page is a plain list", { reason });
    return undefined;
  }
}
