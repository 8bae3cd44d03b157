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

/**
 * Returns processor time in milliseconds, of all threads of the process. The work of other processes is not included.
 */
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

/** Returns the processor time in milliseconds of each thread of a process, by its id. @throws if there is no /proc */
export function threadTimes({ pid }) {
  const tasks = `/proc/${pid}/task`;
  return new Map(
    readdirSync(tasks).map((task) => {
      const [nanoseconds] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
      return [task, Number(nanoseconds) / 1e6];
    }),
  );
}

/** Returns the processor time between two readings; NaN if a thread has ended, whose time is lost. */
export function spentBetween(before, after) {
  for (const task of before.keys()) if (!after.has(task)) return Number.NaN;
  const sum = (times) => [...times.values()].reduce((all, time) => all + time, 0);
  return sum(after) - sum(before);
}
