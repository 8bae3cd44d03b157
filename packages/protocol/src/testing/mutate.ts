import { joinPointer } from "@touchstone/core/advanced";

/** One change of a JSON value at one place. */
export interface Mutation {
  /** RFC 6901 pointer to the place. */
  readonly path: string;
  readonly change: string;
  /** Makes the changed value. */
  readonly make: () => unknown;
}

type Json = Readonly<Record<string, unknown>>;

const OTHERS: readonly unknown[] = [null, true, 7, 1.5, -3, "mutated", [], ["x"], {}, { x: 1 }];

function changed(value: unknown): readonly (readonly [string, unknown])[] {
  const own: [string, unknown][] = [];
  if (typeof value === "string") own.push(["longer text", `${value}x`], ["empty text", ""]);
  if (typeof value === "number") own.push(["next number", value + 1], ["fraction", value + 0.25]);
  if (typeof value === "boolean") own.push(["flipped", !value]);
  if (Array.isArray(value)) {
    for (const item of [null, 5, "y", {}, []]) {
      own.push([`with ${JSON.stringify(item)} at the end`, [...value, item]]);
    }
    own.push(["emptied", []]);
  } else if (typeof value === "object" && value !== null) {
    own.push(["with a further member", { ...value, furtherMember: 1 }]);
    own.push(["emptied", {}]);
  }
  for (const other of OTHERS) own.push([`replaced by ${JSON.stringify(other)}`, other]);
  return own;
}

/** Every single-point mutation of a JSON value: members deleted and added, types and values changed. */
export function* mutationsOf(
  value: unknown,
  path: string = "",
  rebuild: (part: unknown) => unknown = (part) => part,
): Generator<Mutation> {
  for (const [change, other] of changed(value)) yield { path, change, make: () => rebuild(other) };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const at = joinPointer(path, i);
      yield { path: at, change: "deleted", make: () => rebuild(value.toSpliced(i, 1)) };
      yield* mutationsOf(item, at, (part) => rebuild(value.with(i, part)));
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const at = joinPointer(path, key);
      const { [key]: _, ...rest } = value as Json;
      yield { path: at, change: "deleted", make: () => rebuild(rest) };
      yield* mutationsOf(member, at, (part) => rebuild({ ...value, [key]: part }));
    }
  }
}
