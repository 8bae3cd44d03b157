import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./errors.ts";
import { processStat } from "./process-stat.ts";

/** What a process writes about itself, so that others can check whether it still runs. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Identifies the machine or container, without revealing its name. */
  readonly host: string;
  /** When that process started, from {@link processStat}; undefined if unknown. */
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
 * Namespaces that separate process ids: containers may share the host's name (`--network host`) while their ids
 * differ.
 */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // The system is not Linux, or the namespaces cannot be read.
    return "";
  }
}

/**
 * Returns whether a process is certainly dead. Undefined if it runs on another machine or in another container, where
 * that cannot be checked.
 */
export function isProcessDead({ pid, host, start }: ProcessIdentity): boolean | undefined {
  if (host !== OWN_PROCESS.host) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return true;
    // The process exists and belongs to another user.
  }
  // Its id may have been reused: in a container each start has the id 1.
  const running = processStat(pid)?.start;
  return start !== undefined && running !== undefined && start !== running;
}
