import { type Container, placesIn } from "./places.ts";

const NUMBERS = [0, 1, -1, 1.5, 2 ** 53, -(2 ** 53), 576_460_752_303_423_500, 1e21, 0.1];
const STRINGS = ["", '"', "é", "\u{1f600}", "\ud800", "\ufeffa", "a\n", "seven77", "eight888"];

/** Returns a copy of a value with one change that `seed` chooses: another value, a missing member or another name. */
export function changed(value: unknown, seed: number): unknown {
  let state = seed >>> 0;
  const choose = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % count;
  };
  const number = (of: number): number => {
    const near = [
      of + 1,
      of - 1,
      of + 0.5,
      -of,
      of * (1 + Number.EPSILON),
      NUMBERS[choose(9)] ?? 0,
    ];
    const other = near[choose(near.length)] as number;
    return Number.isFinite(other) ? other : 0;
  };
  const string = (of: string): string => {
    const other = STRINGS[choose(STRINGS.length)] as string;
    return [of.slice(1), of.slice(0, -1), of + other, other][choose(4)] as string;
  };
  const another = (of: unknown): unknown => {
    if (choose(3) === 0) return [null, true, 1, "a", [], {}][choose(6)];
    if (typeof of === "number") return number(of);
    if (typeof of === "string") return string(of);
    if (Array.isArray(of)) return choose(2) === 0 ? [...of, of[0] ?? null] : [...of].reverse();
    return [of];
  };
  const root: { value: unknown } = { value: structuredClone(value) };
  const places = placesIn(root);
  const [container, key] = places[choose(places.length)] as [Container, string | number];
  const old = container[key];
  const kind = choose(4);
  if (typeof key === "number" || container === (root as Container) || kind > 1) {
    container[key] = another(old);
  } else {
    delete container[key];
    if (kind === 1) container[string(key)] = old;
  }
  return root.value;
}
