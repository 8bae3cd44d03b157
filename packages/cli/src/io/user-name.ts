import { userInfo } from "node:os";

/** Returns the name of the user who runs the command; undefined if it is unknown to the system. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Returns the author for the record of a change: the user who runs the command. */
export function ownAuthor(): { readonly actor: string; readonly caller: string | undefined } {
  const caller = userName();
  return { actor: `user ${caller ?? "without a name"}`, caller };
}
