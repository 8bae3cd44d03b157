import type { Frame } from "../../frame.ts";
import type { Sender } from "../../messages/message-table.ts";
import type { Revision } from "../../revisions/revision.ts";
import type { Facts, RequestFacts } from "../facts.ts";

/** What a rule looks at. */
export interface Moment {
  readonly frame: Frame;
  readonly sender: Sender;
  readonly revision: Revision;
  readonly facts: Facts;
  /** The request that a response answers, if it is known. */
  readonly request: RequestFacts | undefined;
  /** All that the peers have said was seen, so that what is not known was not said. */
  readonly whole: boolean;
}

/** What breaks a rule, and where. */
export interface Breach {
  readonly path: string;
  readonly message: string;
}

/** A rule about a message in the light of those before it. */
export interface Rule {
  readonly id: string;
  /** The section of the specification, beside the revision. */
  readonly section: string;
  /** The revisions that have the rule, as far as it is not all of them. */
  readonly from?: string;
  readonly until?: string;
  /** The first revision that says MUST or MUST NOT; before, it is SHOULD. Undefined: it never is more than SHOULD. */
  readonly must?: string;
  readonly sender: Sender | "both";
  readonly kinds: readonly Frame["kind"][];
  /** The methods that it is about; all, if there are none. */
  readonly methods?: readonly string[];
  readonly broken: (moment: Moment) => Breach | undefined;
}

export const FIRST = "2024-11-05";
export const MODERN = "2026-07-28";
/** "Both parties MUST … only use capabilities that were successfully negotiated"; before: SHOULD. */
export const NEGOTIATED = "2025-06-18";
export const LAST_LEGACY = "2025-11-25";
export const CALLS = ["request", "notification"] as const;

export const breach = (path: string, message: string): Breach => ({ path, message });

/** Returns the token's key as the other type has it: `"1"` for 1. */
export function otherType(key: string): string {
  return `${key.startsWith("s") ? "n" : "s"}${key.slice(1)}`;
}
