import { type CompiledSchema, closestIssues, type Issue } from "@touchstone/core";

type Told = Pick<Issue, "path" | "message">;

const keyOf = ({ path, message }: Told): string => JSON.stringify([path, message]);

/** Returns which of the errors that somebody else found in a text are found here too. */
export function foundIn(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const found = new Set(schema.check(text).errors.map(keyOf));
  return (error) => found.has(keyOf(error));
}

/**
 * Returns which of the errors that somebody else found in a text only tell why it does not match a branch of a union
 * that was not meant: those that are found here too, and are of no other branch.
 */
export function unmeantIn(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const { errors } = schema.check(text);
  const meant = new Set(closestIssues(errors).map(keyOf));
  const unmeant = new Set(errors.map(keyOf).filter((key) => !meant.has(key)));
  return (error) => unmeant.has(keyOf(error));
}
