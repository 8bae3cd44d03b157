import { type CodeSet, codeSet } from "./code-set.ts";

const PLANE = 0x10000;
/** Planes with assigned characters. The others hold nothing, or private use only. */
const ASSIGNED = [0, 1, 2, 3, 14];
/** Of each such stretch all code points have the same properties: first, last. */
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

/** All characters of the assigned planes, so that no two lone surrogates meet and make a pair. */
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
 * Returns the code points with a Unicode property, as the runtime's own `\p{name}` has them, so that every
 * way of matching agrees with it. ECMA-262 names a few hundred properties, which bounds what is
 * kept.
 * @throws SyntaxError where the runtime does not know it.
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
