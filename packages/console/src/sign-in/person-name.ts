import type { Person } from "../access/session.ts";

/** Returns the name to show for a user: the name, or else what kind of key was used. */
export function personName({ name, credential }: Pick<Person, "name" | "credential">): string {
  return name ?? credential;
}
