import { type CodeSet, codeSet } from "./code-set.ts";

const PLANE = 0x10000;
/** Planes with assigned characters. The others are empty or for private use only. */
const ASSIGNED = [0, 1, 2, 3, 14];
/** Ranges in which all code points have the same properties: first, last. */
const UNIFORM: readonly (readonly [number, number])[] = [...Array(17).keys()]
  .filter((plane) => !ASSIGNED.includes(plane))
  .flatMap((plane) => {
    const start = plane * PLANE;
    return [
      [start, start + 0xfffd],
      [start + 0xfffe, start + 0xffff],
    ] as const;
  });

interface Stretch {
  readonly start: number;
  readonly text: string;
}

function spell(start: number, end: number): Stretch {
  const parts: string[] = [];
  for (let from = start; from < end; from += 1024) {
    const count = Math.min(1024, end - from);
    parts.push(String.fromCodePoint(...Array.from({ length: count }, (_, i) => from + i)));
  }
  return { start, text: parts.join("") };
}

let stretches: readonly Stretch[] | undefined;

/** Returns all characters of the assigned planes, split so that no two lone surrogates meet and form a pair. */
function allStretches(): readonly Stretch[] {
  stretches ??= [
    spell(0, 0xdc00),
    spell(0xdc00, PLANE),
    ...ASSIGNED.slice(1).map((plane) => spell(plane * PLANE, (plane + 1) * PLANE)),
  ];
  return stretches;
}

const known = new Map<string, CodeSet>();

/**
 * Returns the code points with a Unicode property, as in the runtime's own `\p{name}`, so that all ways of matching
 * agree with it. ECMA-262 names a few hundred properties, which bounds the cache.
 * @throws SyntaxError if the runtime does not know the property.
 */
export function propertySet(name: string): CodeSet {
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const one = new RegExp(`^\\p{${name}}$`, "u");
  const runs = new RegExp(`\\p{${name}}+`, "gu");
  const pairs: (readonly [number, number])[] = [];
  for (const { start, text } of allStretches()) {
    const width = start < PLANE ? 1 : 2;
    for (const { 0: run, index } of text.matchAll(runs)) {
      const from = start + index / width;
      pairs.push([from, from + run.length / width - 1]);
    }
  }
  for (const range of UNIFORM) {
    if (one.test(String.fromCodePoint(range[0]))) pairs.push(range);
  }
  const set = codeSet(pairs);
  known.set(name, set);
  return set;
}
