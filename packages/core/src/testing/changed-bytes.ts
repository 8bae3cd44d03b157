import { encodeUtf8 } from "../json/text.ts";

/** Most changes use characters that matter to the grammar. */
const BYTES = encodeUtf8('[]{},:"\\ \n0123456789.eE+-tfnu\u0000\u007fé');

/** A generator of numbers in [0, bound), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** Returns a copy of a text with a few of its bytes changed. */
export function changed(bytes: Uint8Array, random: (bound: number) => number): Uint8Array {
  const copy = [...bytes];
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(copy.length + 1);
    const insert = Array.from({ length: random(3) }, () =>
      random(4) === 0 ? random(256) : (BYTES[random(BYTES.length)] ?? 0),
    );
    copy.splice(at, random(4), ...insert);
  }
  return Uint8Array.from(copy);
}
