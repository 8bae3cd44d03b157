import { messageOf } from "@touchstone/core/advanced";
import type { Logger } from "@touchstone/util";
import type { ServerRuntime } from "../relay/server-runtime.ts";

/** A server whose tools may have to be learned before a call is decided. */
export interface LearnedServer {
  readonly runtime: ServerRuntime;
  /** Makes it list its tools. */
  readonly learn: () => Promise<void>;
  readonly log: Logger;
}

/**
 * Makes a server list its tools if its list must be known before a call of a tool is decided. Never rejects: without
 * a list, an earlier one applies, or else `on_unknown_schema`.
 */
export async function learnTools(
  { runtime, learn, log }: LearnedServer,
  tool: string,
): Promise<void> {
  if (!runtime.needsList(tool)) return;
  await learn().catch((error: unknown) => {
    log.debug("could not fetch tools/list for a check", { reason: messageOf(error) });
  });
}
