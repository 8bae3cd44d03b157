import {
  blockingNames,
  type GatewayConfig,
  stillBlocking,
  stillBlockingText,
} from "@touchstone/gateway/config";
import type { Pause } from "@touchstone/gateway/pause";
import { safeText } from "../terminal/safe-text.ts";

/** A configuration, and its file. */
export interface NamedConfiguration {
  readonly file: string;
  readonly config: GatewayConfig;
}

/** Returns a text about what still blocks during a pause, according to a configuration if there is one. */
export type StillBlocking = (server: string | undefined, pause: Pause) => string;

/**
 * Returns a function for the text about what still blocks during a pause: for the servers of a configuration, or in
 * general if there is none.
 */
export function stillBlockingDuringPause(known: NamedConfiguration | undefined): StillBlocking {
  return (server, { policy = false }) => {
    const paused = ["strict checks", ...(policy ? blockingNames("policy") : [])];
    const warning = `${inWords(paused)} only warn`;
    if (known === undefined) {
      const left = blockingNames(policy ? "left_with_policy" : "left");
      const others = inWords([...left, "restrictions of callers"]);
      return `${warning}; ${others} still block (the record of each gateway counts them)`;
    }
    const servers = known.config.servers.filter(
      ({ name, disabled, upstream }) =>
        (!disabled || upstream.type === "wrap") && (server === undefined || name === server),
    );
    const file = safeText(known.file);
    if (servers.length === 0)
      return `${warning}; ${file} has no such server, so what still blocks is unknown`;
    return `${warning}; by ${file}, ${stillBlockingText(stillBlocking(servers, policy, known.config.auth))}`;
  };
}

/** Returns a list in words: `a, b and c`. */
function inWords(all: readonly string[]): string {
  return [all.slice(0, -1).join(", "), ...all.slice(-1)]
    .filter((part) => part !== "")
    .join(" and ");
}
