import { type CompiledSchema, closestIssues, type Issue } from "@touchstone/core";

type Told = Pick<Issue, "path" | "message">;

const keyOf = ({ path, message }: Told): string => JSON.stringify([path, message]);

/** Returns a function that reports whether an error that somebody else found in a text is also found here. */
export function foundIn(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const found = new Set(schema.check(text).errors.map(keyOf));
  return (error) => found.has(keyOf(error));
}

/**
 * Returns a function that reports whether an error that somebody else found in a text only explains why a union
 * branch that was not meant does not match: it must also be found here, and must not be one of the closest issues.
 */
export function unmeantIn(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const { errors } = schema.check(text);
  const meant = new Set(closestIssues(errors).map(keyOf));
  const unmeant = new Set(errors.map(keyOf).filter((key) => !meant.has(key)));
  return (error) => unmeant.has(keyOf(error));
}
