import { CapabilityError } from "../errors.ts";

/** Default names of the validation tool, in order of preference. */
const NAMES = ["validate", "validate_tool_call"] as const;

/** Returns the possible names of the validation tool, in order of preference. */
export function toolNameCandidates(method: string | undefined): readonly string[] {
  return method === undefined ? NAMES : [method];
}

/**
 * Returns the first name that no tool has.
 * @param isTaken returns whether the server has a tool of a name
 * @throws CapabilityError `name_taken` if all are taken
 */
export function chooseName(method: string | undefined, isTaken: (name: string) => boolean): string {
  const names = toolNameCandidates(method);
  const free = names.find((name) => !isTaken(name));
  if (free !== undefined) return free;
  const taken = names.map((name) => `"${name}"`).join(" and ");
  const message = `the server has a tool named ${taken}: choose another name for the validation tool with the option method`;
  throw new CapabilityError("name_taken", message);
}
