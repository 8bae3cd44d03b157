import { isObject } from "@touchstone/core/advanced";
import { define } from "./values.ts";

/** Places in a value where a fault can be put. */
interface FaultTarget {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string | number;
  readonly value: unknown;
}

/** Returns a random number from 0 up to 1; the sequence is the same for the same seed. */
export type Random = () => number;

export const pick = <T>(random: Random, from: readonly T[]): T | undefined =>
  from[Math.floor(random() * from.length)];

function placesOf(root: unknown): readonly FaultTarget[] {
  const places: FaultTarget[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const parent = value as FaultTarget["parent"];
      places.push({ parent, key: Array.isArray(value) ? Number(key) : key, value: member });
      walk(member);
    }
  };
  walk(root);
  return places;
}

function set({ parent, key }: FaultTarget, value: unknown): true {
  define(parent, key, value);
  return true;
}

function rename(object: Record<string, unknown>, from: string, to: string): boolean {
  if (from === to || Object.hasOwn(object, to)) return false;
  const members = Object.entries(object);
  for (const [name] of members) delete object[name];
  for (const [name, value] of members) {
    define(object, name === from ? to : name, value);
  }
  return true;
}

/** Changes a value so that it is likely to be invalid. Returns false if the value has no suitable place. */
type Fault = (root: { value: unknown }, random: Random) => boolean;

/** Replaces one value that a rule accepts with the rule's result. */
const at =
  (change: (value: unknown, random: Random) => unknown, is: (value: unknown) => boolean): Fault =>
  (root, random) => {
    const place = pick(
      random,
      placesOf(root.value).filter(({ value }) => is(value)),
    );
    return place !== undefined && set(place, change(place.value, random));
  };

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;
const any = (): boolean => true;

/** Renames one member of an object to the rule's result. */
const named =
  (change: (name: string, random: Random) => string): Fault =>
  (root, random) => {
    const objects = [root.value, ...placesOf(root.value).map(({ value }) => value)]
      .filter(isObject)
      .filter((object) => Object.keys(object).length > 0);
    const object = pick(random, objects);
    const name = object && pick(random, Object.keys(object));
    return object !== undefined && name !== undefined && rename(object, name, change(name, random));
  };

const swapped = (name: string, random: Random): string => {
  const i = Math.floor(random() * Math.max(1, name.length - 1));
  return name.slice(0, i) + (name[i + 1] ?? "x") + (name[i] ?? "") + name.slice(i + 2);
};

const camel = (name: string): string =>
  name.includes("_")
    ? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A text that a server may read as a list, but that is not JSON. */
function otherNotation(value: unknown, random: Random): string {
  const items = (value as unknown[]).map((item) => (isText(item) ? item : JSON.stringify(item)));
  const quoted = items.map((item) => `'${item}'`).join(", ");
  return pick(random, [
    `[${quoted}]`,
    `[${items.join(", ")}]`,
    `(${quoted})`,
    `{${items.map((item) => JSON.stringify(item)).join(",")}}`,
    `[${items.map((item) => JSON.stringify(item)).join(", ")},]`,
    items.map((item) => `- ${item}`).join("\n"),
    items.join(";"),
  ]) as string;
}

/** Wraps or unwraps the whole value, or an object in it. */
const wrapped: Fault = (root, random) => {
  if (!isObject(root.value)) return false;
  const name = pick(random, ["params", "arguments", "input", "args", "body"]) as string;
  root.value = { [name]: random() < 0.2 ? JSON.stringify(root.value) : root.value };
  return true;
};

const flattened: Fault = (root, random) => {
  if (!isObject(root.value)) return false;
  const inner = pick(
    random,
    Object.entries(root.value).filter(([, value]) => isObject(value)),
  );
  if (inner === undefined) return false;
  const { [inner[0]]: _gone, ...others } = root.value;
  root.value = { ...(inner[1] as object), ...others };
  return true;
};

/** Every kind of fault, by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "missing member": (root, random) => {
    const members = placesOf(root.value).filter(({ parent }) => isObject(parent));
    const place = pick(random, members);
    return place !== undefined && Reflect.deleteProperty(place.parent, place.key);
  },
  "misspelled name": named(swapped),
  "name in another style": named(camel),
  "another name": named(
    (_, random) => pick(random, ["file", "text", "value", "q", "target"]) ?? "",
  ),
  "name with a slash": named((name) => `${name}/x`),
  "unknown member": (root, random) => {
    const objects = [root.value, ...placesOf(root.value).map(({ value }) => value)].filter(
      isObject,
    );
    const object = pick(random, objects);
    const name = pick(random, ["extra", "note", "verbose", "zz top", "a~b"]) as string;
    return object !== undefined && set({ parent: object, key: name, value: 0 }, "zq-extra");
  },
  "JSON in a string": at(JSON.stringify, (value) => !isScalar(value)),
  "scalar in a string": at(String, (value) => isNumber(value) || typeof value === "boolean"),
  "Python scalar": at(
    (value) => (value === true ? "True" : "False"),
    (value) => typeof value === "boolean",
  ),
  "list in another notation": at(
    otherNotation,
    (value) => Array.isArray(value) && value.length > 0,
  ),
  "comma list": at(
    (value) => (value as unknown[]).map(String).join(", "),
    (value) => Array.isArray(value) && value.length > 0 && value.every(isScalar),
  ),
  "item without its array": at(
    (value) => (value as unknown[])[0],
    (value) => Array.isArray(value) && value.length > 0,
  ),
  "array around a value": at((value) => [value], any),
  "number for a text": at(() => 2662, isText),
  "text for anything": at(
    () => "zq-words for it",
    (value) => !isText(value),
  ),
  "object for anything": at(() => ({ zq: 1 }), any),
  null: at(() => null, any),
  "null in a string": at((_, random) => pick(random, ["null", "None"]), any),
  "blank text": at((_, random) => pick(random, ["", " "]), any),
  "upper case": at((value) => (value as string).toUpperCase(), isText),
  "spaces around": at((value) => ` ${value as string} `, isText),
  "another word": at(() => "zq-word", isText),
  "long text": at(() => "zq".repeat(3_000), isText),
  "large number": at(() => 1e15, isNumber),
  "negative number": at(() => -1e9, isNumber),
  fraction: at((value) => (value as number) + 0.5, isNumber),
  "empty array": at(
    () => [],
    (value) => Array.isArray(value),
  ),
  "empty object": at(() => ({}), isObject),
  "wrong item": (root, random) => {
    const arrays = placesOf(root.value).filter(({ value }) => Array.isArray(value));
    const place = pick(random, arrays);
    (place?.value as unknown[] | undefined)?.push(pick(random, [7, "zq-item", null, {}, []]));
    return place !== undefined;
  },
  "many items": (root, random) => {
    const arrays = placesOf(root.value).filter(
      ({ value }) => Array.isArray(value) && value.length > 0,
    );
    const list = pick(random, arrays)?.value as unknown[] | undefined;
    for (let i = 0; list !== undefined && i < 120; i++) list.push(structuredClone(list[0]));
    return list !== undefined;
  },
  "value of a neighbor": (root, random) => {
    const members = placesOf(root.value).filter(({ parent }) => isObject(parent));
    const [one, other] = [pick(random, members), pick(random, members)];
    return one !== undefined && other !== undefined && set(one, structuredClone(other.value));
  },
  "wrapped arguments": wrapped,
  "flattened object": flattened,
};
