import {
  blockingNames,
  type GatewayConfig,
  stillBlocking,
  stillBlockingText,
} from "@touchstone/gateway/config";
import type { Pause } from "@touchstone/gateway/pause";
import { safeText } from "../terminal/safe-text.ts";

/** A configuration, and the file that it comes from. */
export interface NamedConfiguration {
  readonly file: string;
  readonly config: GatewayConfig;
}

/** Says what a pause leaves in force, by a configuration if one is known. */
export type StillBlocking = (server: string | undefined, pause: Pause) => string;

/** Returns what says what still blocks during a pause, by the servers of a configuration; without one, in general. */
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
