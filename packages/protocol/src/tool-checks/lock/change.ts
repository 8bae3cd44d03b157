import type { JsonObject } from "@touchstone/core/advanced";
import type { Counterexample } from "../../inclusion/counterexample.ts";
import { membersOf } from "./members.ts";

/**
 * What a difference means for the users of a server.
 *
 * - `breaking`: something that was accepted is refused, something that was promised is not promised anymore, or
 *   something is gone
 * - `unproven`: a schema has changed, and there is neither a proof nor a value that breaks
 * - `text`: a text that a model or a person reads differs, or a hint about how dangerous a tool is
 * - `compatible`: whatever worked continues to work, which the structure of the schemas proves
 * - `new`: there is more than before
 */
export type ChangeClass = "breaking" | "unproven" | "text" | "compatible" | "new";

/** The kind of thing that a change is about. */
export type ChangeSubject = "server" | "tool" | "prompt" | "resource template";

/** One difference between what was locked and what is declared now. */
export interface Change {
  readonly class: ChangeClass;
  readonly rule: string;
  readonly thing: ChangeSubject;
  /** Its name; empty for the server itself. */
  readonly name: string;
  /** RFC 6901 pointer into the definition, or into the server's description of itself. */
  readonly path: string;
  readonly message: string;
  /** The JSON texts before and after the change; one is absent if there was or is nothing. */
  readonly before?: string;
  readonly after?: string;
  /** Arguments that were accepted and are refused, or a result that is promised and was not. */
  readonly counterexample?: Counterexample;
  /** `proved`, or, for an unproven change, how many values were tried that both schemas accept. */
  readonly evidence?: "proved" | number;
}

/** A change without the thing that it belongs to. */
export type FoundChange = Omit<Change, "thing" | "name">;

/** Returns a change of a text that is read and not checked. @param before JSON text; undefined if there was nothing */
export function textChange(
  path: string,
  before: string | undefined,
  after: string | undefined,
): FoundChange {
  const name = lastOf(path) || "definition";
  const isMany = name.endsWith("s");
  const verb =
    before === undefined || after === undefined
      ? `${isMany ? "are" : "is"} ${before === undefined ? "new" : "gone"}`
      : `${isMany ? "have" : "has"} changed`;
  return {
    ...{ class: "text", rule: "text", path, message: `the ${name} ${verb}` },
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** {@link textChange} of two values. */
export function jsonChange(path: string, old: unknown, now: unknown): FoundChange {
  return textChange(path, JSON.stringify(old), JSON.stringify(now));
}

/** Yields the members that differ between two definitions, each canonical JSON. */
export function* changedMembers(
  before: string,
  after: string,
): Generator<[name: string, before: string | undefined, after: string | undefined]> {
  const [old, now] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(name) !== now.get(name)) yield [name, old.get(name), now.get(name)];
  }
}

/** Returns the value of a JSON text; undefined of none. */
export function parseJsonText(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** Returns an object's own member. */
export function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
