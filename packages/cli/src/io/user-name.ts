import { userInfo } from "node:os";

/** Returns the name of the user who runs the command; undefined if the system does not know it. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Returns who runs the command, for the record of a change. */
export function ownAuthor(): { readonly actor: string; readonly caller: string | undefined } {
  const caller = userName();
  return { actor: `user ${caller ?? "without a name"}`, caller };
}
