import { type CompiledSchema, closestIssues, type Issue } from "@touchstone/core/advanced";

type Told = Pick<Issue, "path" | "message">;

const keyOf = ({ path, message }: Told): string => JSON.stringify([path, message]);

/** Returns a function that reports whether an error that another check found in a text is also found here. */
export function sameErrorTest(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const found = new Set(schema.validateText(text).errors.map(keyOf));
  return (error) => found.has(keyOf(error));
}

/**
 * Returns a function that reports whether an error that another check found in a text only explains why a union
 * branch that was not meant does not match: it must also be found here, and must not be one of the closest issues.
 */
export function branchErrorTest(schema: CompiledSchema, text: string): (error: Told) => boolean {
  const { errors } = schema.validateText(text);
  const meant = new Set(closestIssues(errors).map(keyOf));
  const unmeant = new Set(errors.map(keyOf).filter((key) => !meant.has(key)));
  return (error) => unmeant.has(keyOf(error));
}
