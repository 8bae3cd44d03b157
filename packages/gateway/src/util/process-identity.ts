import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./errors.ts";
import { processStat } from "./process-stat.ts";

/** What a process writes about itself, so that others can find out whether it still runs. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Names the machine or container that the process runs on, without telling its name. */
  readonly host: string;
  /** When that process started, as {@link processStat} tells; undefined if that was not known. */
  readonly start?: string | undefined;
}

/** This process. */
export const OWN_PROCESS: ProcessIdentity = {
  pid: process.pid,
  host: createHash("sha256")
    .update(hostname() + pidNamespace())
    .digest("hex")
    .slice(0, 8),
  start: processStat(process.pid)?.start,
};

/**
 * Names that among which process ids are told apart: containers may share the host's name (`--network
 * host`), and the ids in them are other ones.
 */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux, or nothing to look into.
    return "";
  }
}

/**
 * Returns whether a process is dead, for certain. Undefined if it runs on another machine or in another container, where
 * it cannot be looked for.
 */
export function isDead({ pid, host, start }: ProcessIdentity): boolean | undefined {
  if (host !== OWN_PROCESS.host) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return true;
    // It is another user's, who may not be asked for it.
  }
  // Its id may have gone to another: in a container each start has the id 1.
  const running = processStat(pid)?.start;
  return start !== undefined && running !== undefined && start !== running;
}
