/**
 * Returns a count that was given to a script, or the default if none was given. Anything but an integer, of 1 or more
 * unless stated otherwise, ends the process with exit code 2 and its usage.
 */
export function countArgument(given, without, usage, least = 1) {
  const count = given === undefined ? without : Number(given);
  if (Number.isSafeInteger(count) && count >= least) return count;
  console.error(`${JSON.stringify(given)} is not what is taken\nusage: ${usage}`);
  process.exit(2);
}

/** Returns a seed: any integer; if none is given, one that varies from run to run. */
export function seedArgument(given, usage) {
  return countArgument(given, Date.now() % 1_000_000, usage, Number.MIN_SAFE_INTEGER);
}
