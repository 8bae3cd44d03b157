/** How many turns of the event loop others had while something was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let working = true;
  const others = (): void => {
    turns += 1;
    if (working) setImmediate(others);
  };
  setImmediate(others);
  try {
    await work();
  } finally {
    working = false;
  }
  return turns;
}
