import type { Frame } from "../../frame.ts";
import type { Sender } from "../../messages/message-table.ts";
import type { Revision } from "../../revisions/revision.ts";
import { FIRST_MODERN, LATEST_LEGACY } from "../../revisions/revisions.ts";
import type { ConversationFacts, RequestFacts } from "../facts.ts";

/** What a rule examines. */
export interface RuleInput {
  readonly frame: Frame;
  readonly sender: Sender;
  readonly revision: Revision;
  readonly facts: ConversationFacts;
  /** The request that a response belongs to, if known. */
  readonly request: RequestFacts | undefined;
  /** Whether all messages of both peers were seen, so that an unknown request or token was never sent. */
  readonly whole: boolean;
}

/** What breaks a rule, and at which place. */
export interface RuleViolation {
  readonly path: string;
  readonly message: string;
}

/** A rule about a message in view of the messages before it. */
export interface ConversationRule {
  readonly id: string;
  /** The section of the specification, without the revision. */
  readonly section: string;
  /** The revisions that have the rule, if not all have it. */
  readonly from?: string;
  readonly until?: string;
  /**
   * The first revision that says MUST or MUST NOT; before it, the rule is SHOULD. Undefined: it is never more than
   * SHOULD.
   */
  readonly must?: string;
  readonly sender: Sender | "both";
  readonly kinds: readonly Frame["kind"][];
  /** The methods that the rule covers; all if absent. */
  readonly methods?: readonly string[];
  readonly broken: (moment: RuleInput) => RuleViolation | undefined;
}

export const FIRST_VERSION = "2024-11-05";
export const MODERN: string = FIRST_MODERN.version;
/**
 * The first revision with "Both parties MUST … only use capabilities that were successfully negotiated"; earlier ones
 * say SHOULD.
 */
export const NEGOTIATED = "2025-06-18";
export const LAST_LEGACY: string = LATEST_LEGACY.version;
export const CALL_KINDS = ["request", "notification"] as const;

export const violation = (path: string, message: string): RuleViolation => ({ path, message });

/** Returns the key of the same token written as the other type: `"1"` for 1. */
export function otherTokenType(key: string): string {
  return `${key.startsWith("s") ? "n" : "s"}${key.slice(1)}`;
}
