/**
 * A count that was given to a script, or what it is without one. Anything else than a positive integer
 * ends the process with exit code 2 and its usage.
 */
export function countArgument(given, without, usage) {
  const count = given === undefined ? without : Number(given);
  if (Number.isSafeInteger(count) && count > 0) return count;
  console.error(`${JSON.stringify(given)} is no count\nusage: ${usage}`);
  process.exit(2);
}
