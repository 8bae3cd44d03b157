import { CapabilityError } from "../errors.ts";

/** Names of the validation tool where the author gives none, in the order of preference. */
const NAMES = ["validate", "validate_tool_call"] as const;

/** Returns the names that the validation tool may get. */
export function candidates(method: string | undefined): readonly string[] {
  return method === undefined ? NAMES : [method];
}

/**
 * Returns the first name that no tool has.
 * @param isTaken whether the server has a tool of a name
 * @throws CapabilityError `name_taken` where all are taken
 */
export function chooseName(method: string | undefined, isTaken: (name: string) => boolean): string {
  const names = candidates(method);
  const free = names.find((name) => !isTaken(name));
  if (free !== undefined) return free;
  const taken = names.map((name) => `"${name}"`).join(" and ");
  const message = `the server has a tool named ${taken}: choose another name for the validation tool with the option method`;
  throw new CapabilityError("name_taken", message);
}
