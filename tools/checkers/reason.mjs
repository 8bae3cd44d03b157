// Finds the reason for a failure in what a checker logged.

/** Returns the most informative line of a checker's log about a failure. */
export function reasonIn(log) {
  const lines = log.split("\n").filter((line) => /\w/.test(line) && !/^\s*at /.test(line));
  const line = lines.findLast((one) => /error|unsupported|fail|refus/i.test(one)) ?? lines.at(-1);
  return line?.trim().slice(0, 160);
}
