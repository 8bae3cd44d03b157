// Finds why a checker failed in what it logged.

/** Returns the line of a checker's log that says most about a failure. */
export function reasonIn(log) {
  const lines = log.split("\n").filter((line) => /\w/.test(line) && !/^\s*at /.test(line));
  const line = lines.findLast((one) => /error|unsupported|fail|refus/i.test(one)) ?? lines.at(-1);
  return line?.trim().slice(0, 160);
}
