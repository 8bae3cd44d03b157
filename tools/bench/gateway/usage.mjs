// What a process uses, as Linux reports it; undefined on other systems.
import { readdirSync, readFileSync } from "node:fs";

/** Returns the resident memory in MB, and the open descriptors. */
export function usage({ pid }) {
  try {
    const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return { mb: Number(kb) / 1024, open: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

/** Returns processor time in milliseconds, of all threads of the process. Other processes do not add to it. */
export function cpu(child) {
  if (child === undefined) return undefined;
  const tasks = `/proc/${child.pid}/task`;
  try {
    return readdirSync(tasks).reduce((sum, task) => {
      const [nanoseconds] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return undefined;
  }
}
