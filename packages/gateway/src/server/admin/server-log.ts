import { threadSlice } from "@touchstone/util";
import type { ServerConfig } from "../../config/config.ts";
import type { ServerLog } from "../../transport/server-log.ts";
import type { ShownServerLog } from "../api/operator-schemas.ts";

/** Returns where a server's log is: for a wrapped server, it is in the client that starts the server. */
function placeOf({ upstream, disabled }: ServerConfig): ShownServerLog["place"] {
  if (upstream.type === "wrap") return "client";
  return disabled ? "disabled" : "gateway";
}

/**
 * Returns the last lines of a server's log, without secrets.
 * @param after the cursor from an earlier response
 */
export async function shownLog(
  config: ServerConfig,
  log: ServerLog,
  after: string | undefined,
): Promise<ShownServerLog> {
  const { lines, ...part } = await threadSlice.take(log.read(after));
  return {
    place: placeOf(config),
    ...part,
    lines: lines.map(({ time, kind, text, pid, isCut }) => ({
      time: time.toISOString(),
      kind,
      text,
      ...(pid === undefined ? {} : { pid }),
      ...(isCut ? { cut: true } : {}),
    })),
  };
}
