import { sample } from "../../../core/src/testing/sample.ts";

type Look = readonly [colorScheme: "light" | "dark", width: number, height: number];

// Colors do not depend on the width, and the layout does not depend on the colors.
const ENDS: readonly Look[] = [
  ["light", 1440, 900],
  ["dark", 390, 844],
];
const OTHERS: readonly Look[] = [
  ["dark", 1440, 900],
  ["light", 1024, 768],
  ["dark", 1024, 768],
  ["light", 800, 800],
  ["light", 390, 844],
];

/**
 * The themes and sizes, in CSS pixels, with which pages are tested: in CI the smallest and the largest, in
 * `full:tests` all.
 */
export const LOOKS: readonly Look[] = sample(ENDS, ENDS, [...ENDS, ...OTHERS]);

/** Returns whether this is the theme and size that `npm test` uses. */
export const isSmallest = ([, width]: Look): boolean => width === 390;
