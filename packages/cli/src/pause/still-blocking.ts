import { type GatewayConfig, stillBlocking, stillBlockingText } from "@touchstone/gateway/config";
import type { Pause } from "@touchstone/gateway/pause";
import { safeText } from "../terminal/safe-text.ts";

/** A configuration, and the file that it comes from. */
export interface NamedConfiguration {
  readonly file: string;
  readonly config: GatewayConfig;
}

/** Says what a pause leaves in force, by a configuration if one is known. */
export type StillBlocking = (server: string | undefined, pause: Pause) => string;

/** Returns what says what goes on blocking during a pause, by the servers of a configuration; without one, in general. */
export function stillBlockingBy(known: NamedConfiguration | undefined): StillBlocking {
  return (server, { policy = false }) => {
    const warning = policy
      ? "strict checks, policy and narrow only warn"
      : "strict checks only warn";
    if (known === undefined) {
      const others = policy ? "pin and limits" : "policy, narrow, pin and limits";
      return `${warning}; ${others} still block (the record of each gateway counts them)`;
    }
    const servers = known.config.servers.filter(
      ({ name, disabled, upstream }) =>
        (!disabled || upstream.type === "wrap") && (server === undefined || name === server),
    );
    const file = safeText(known.file);
    if (servers.length === 0)
      return `${warning}; ${file} has no such server, so what still blocks is unknown`;
    return `${warning}; by ${file}, ${stillBlockingText(stillBlocking(servers, policy))}`;
  };
}
