import { redactText } from "@touchstone/util";
import type { ActivityEntry } from "./record.ts";

/** The author of a change and the reason for it, for the change's record. */
export interface Author {
  /** How the author was identified: `auth.admin_key`, `operator token`, `file PATH`, `user NAME` … */
  readonly actor: string;
  /** The name of a key, a token or a user. */
  readonly caller?: string | undefined;
  readonly role?: ActivityEntry["role"];
  /** The IP address that the request came from. */
  readonly address?: string | undefined;
  /** The reason, in the author's words. */
  readonly reason?: string | undefined;
}

/** Returns the fields of a record that say who made a change, and why. */
export function authorFields({
  actor,
  caller,
  role,
  address,
  reason,
}: Author): Pick<ActivityEntry, "actor" | "caller" | "role" | "address" | "given_reason"> {
  const given = reason?.trim();
  return { actor, caller, role, address, given_reason: given === "" ? undefined : given };
}

/** Returns the field of a log line with the reason for a change, without secrets, as in its record. */
export function reasonField({ reason }: Pick<Author, "reason">): { readonly why?: string } {
  const given = reason?.trim() ?? "";
  return given === "" ? {} : { why: redactText(given).text };
}

/** Returns who made a change, in one line for the log: `alice, auth.keys, role admin, from 10.0.0.7`. */
export function authorText({ actor, caller, role, address }: Author): string {
  const parts = [caller, actor, role && `role ${role}`, address && `from ${address}`];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}
