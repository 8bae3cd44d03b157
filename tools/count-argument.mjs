/**
 * A count that was given to a script, or what it is without one. Anything else than an integer, of 1 or
 * more unless said otherwise, ends the process with exit code 2 and its usage.
 */
export function countArgument(given, without, usage, least = 1) {
  const count = given === undefined ? without : Number(given);
  if (Number.isSafeInteger(count) && count >= least) return count;
  console.error(`${JSON.stringify(given)} is not what is taken\nusage: ${usage}`);
  process.exit(2);
}

/** A seed: any integer, another one each time without. */
export function seedArgument(given, usage) {
  return countArgument(given, Date.now() % 1_000_000, usage, Number.MIN_SAFE_INTEGER);
}
