import { placesIn } from "./places.ts";
import { spelled } from "./spelled.ts";

/** A placeholder for the fault that is put into a text. */
const MARK = "\u{1f6d1}";
/** Texts that look like a number but are not JSON, or are numbers that no double holds. */
const NUMBERS = ["01", "-", "-01", "1.", ".5", "1.e5", "1e", "+1", "0x1", "1e400", "-1e-400"];
const LONG = [
  "9007199254740993",
  "0.30000000000000003",
  "12345678901234567890",
  "1234567890123456.x",
];

/**
 * Returns the text of a value with one fault that its schema may not cover: a duplicate key, in the same spelling or
 * another, or an invalid or lossy number. Undefined if the value has no place for one.
 */
export function spoilt(value: unknown, random: (bound: number) => number): string | undefined {
  const root = { value: structuredClone(value) };
  const places = placesIn(root);
  const [container, key] = places[1 + random(places.length - 1)] ?? [];
  if (container === undefined || key === undefined) return undefined;
  const bad = [...NUMBERS, ...LONG];
  let fault = bad[random(bad.length)] as string;
  if (typeof container[key] === "number" || typeof key === "number") {
    container[key] = MARK;
  } else {
    container[MARK] = container[key];
    const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}`;
    fault = key === "" || random(2) === 0 ? JSON.stringify(key) : `"${escaped}"`;
  }
  // With an odd seed, the text has no escapes.
  return spelled(root.value, 2 * random(1000) + 1).replace(`"${MARK}"`, () => fault);
}
