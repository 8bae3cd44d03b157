import { placesIn } from "./places.ts";
import { spelled } from "./spelled.ts";

/** Stands for what is put into a text. */
const MARK = "\u{1f6d1}";
/** What may look like a number, and is none, or none that a double holds. */
const NUMBERS = ["01", "-", "-01", "1.", ".5", "1.e5", "1e", "+1", "0x1", "1e400", "-1e-400"];
const LONG = [
  "9007199254740993",
  "0.30000000000000003",
  "12345678901234567890",
  "1234567890123456.x",
];

/**
 * The text of a value with one fault that its schema may have no word about: a key twice, in one
 * spelling or two, or no good number. Undefined if there is no place for one.
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
  // Of an odd seed, there are no escapes in the text.
  return spelled(root.value, 2 * random(1000) + 1).replace(`"${MARK}"`, () => fault);
}
