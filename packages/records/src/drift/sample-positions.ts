/**
 * How much the position shifts from one turn to the next, as a fraction of a range: with the golden ratio, no
 * position has to wait long.
 */
const STEP = 0.618_033_988_749_895;

/**
 * Returns at most `most` positions in a list: a fifth of them at its start, a fifth at its end, and one in each of
 * equal ranges in between. The position within a range changes from turn to turn, so that every position is read in
 * time.
 * @param most ten or more
 * @returns in ascending order
 */
export function samplePositions(length: number, most: number, turn: number): readonly number[] {
  if (length <= most) return Array.from({ length }, (_, index) => index);
  const ends = Math.floor(most / 5);
  const stretches = most - 2 * ends;
  const between = length - 2 * ends;
  const part = (turn * STEP) % 1;
  return Array.from({ length: most }, (_, index) => {
    if (index < ends) return index;
    if (index >= most - ends) return length - most + index;
    const start = Math.floor(((index - ends) * between) / stretches);
    const end = Math.floor(((index - ends + 1) * between) / stretches);
    return ends + start + Math.floor(part * (end - start));
  });
}
