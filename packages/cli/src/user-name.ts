import { userInfo } from "node:os";

/** Returns the name of the user who runs the command; undefined if the system does not know it. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
