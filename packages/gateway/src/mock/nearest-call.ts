import { escapePointer } from "@touchstone/core/advanced";
import { visible } from "@touchstone/util";

/** How many values of two requests are compared. */
const MAX_VALUES = 1_000;
/** How many differences are listed, and how long a value in them may be. */
const MAX_SHOWN = 10;
const MAX_VALUE = 120;

/** Two values at the same place; undefined if there is none on that side. */
interface Difference {
  readonly path: string;
  readonly recorded: string | undefined;
  readonly sent: string | undefined;
}

/** Values this deep are not compared. */
const MAX_DEPTH = 64;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Marks the digits of a number in a string: no other string of a message begins with it. */
const MARK = "\u0000";

/**
 * Returns the values of a comparable text, by their pointers. Numbers keep their digits.
 * @param most how many to return
 */
export function valuesOf(
  comparable: string,
  most: number = MAX_VALUES,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const walk = (value: unknown, path: string, depth: number): void => {
    if (values.size >= most || depth > MAX_DEPTH) return;
    if (typeof value !== "object" || value === null) {
      const isNumber = typeof value === "string" && value.startsWith(MARK);
      values.set(path, isNumber ? value.slice(MARK.length) : JSON.stringify(value));
      return;
    }
    const members = Object.entries(value);
    if (members.length === 0) values.set(path, Array.isArray(value) ? "[]" : "{}");
    for (const [name, member] of members) walk(member, `${path}/${escapePointer(name)}`, depth + 1);
  };
  const marked = comparable.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : JSON.stringify(MARK + token),
  );
  walk(JSON.parse(marked), "", 0);
  return values;
}

/** Returns where two requests differ. */
export function differencesOf(
  recorded: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>,
): readonly Difference[] {
  const paths = new Set([...recorded.keys(), ...sent.keys()]);
  return [...paths].flatMap((path) => {
    const [one, other] = [recorded.get(path), sent.get(path)];
    return one === other ? [] : [{ path, recorded: one, sent: other }];
  });
}

/** Returns differences as one text: what was sent instead of what was recorded. */
export function differenceText(differences: readonly Difference[]): string {
  const shown = (value: string | undefined): string =>
    value === undefined ? "nothing" : visible(value, MAX_VALUE);
  const texts = differences.slice(0, MAX_SHOWN).map(({ path, recorded, sent }) => {
    return `${visible(path, MAX_VALUE)}: ${shown(sent)} instead of ${shown(recorded)}`;
  });
  const more = differences.length - MAX_SHOWN;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
