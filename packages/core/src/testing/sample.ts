const SIZES = ["some", "more", "all"] as const;

const size = SIZES.find((name) => name === (process.env["TOUCHSTONE_SAMPLE"] ?? "some"));

/**
 * Picks how much of a long suite a run takes: `some` in `npm test`, `more` in `.ci/run`, which sets
 * `TOUCHSTONE_SAMPLE=more`, and `all` in `npm run full:tests`.
 * @throws if the variable has another value
 */
export function sample<T>(some: T, more: T, all: T = more): T {
  if (size === undefined) throw new Error(`TOUCHSTONE_SAMPLE is one of ${SIZES.join(", ")}`);
  return { some, more, all }[size];
}
