/** The kinds of declarations that can be pinned. */
export const PIN_KINDS = ["tool", "instructions", "prompt", "resource_template"] as const;
export type PinKind = (typeof PIN_KINDS)[number];

/**
 * - `approved`: it may be used
 * - `held`: it was seen, and is not approved
 * - `revoked`: its approval was withdrawn; this also overrules a lock file
 */
export type PinState = Exclude<ShownPinState, "recorded">;

/**
 * A state in the form in which it is shown everywhere. `recorded`: a prompt or a resource template that is not
 * approved. It was recorded and may be used: only tools and instructions are held back.
 */
export const SHOWN_PIN_STATES = ["approved", "held", "recorded", "revoked"] as const;
export type ShownPinState = (typeof SHOWN_PIN_STATES)[number];

/** Returns the state of a declaration as it is shown. */
export function shownPinState({ kind, state }: Pick<Pin, "kind" | "state">): ShownPinState {
  return state === "held" && !isHeldKind(kind) ? "recorded" : state;
}

/** Returns whether declarations of a kind are held back if they are not approved and `pin` is strict. */
export function isHeldKind(kind: PinKind): boolean {
  return kind === "tool" || kind === "instructions";
}

/** One declaration of a server. */
export interface PinItem {
  readonly kind: PinKind;
  /** Its name; for a resource template, the template; for instructions, `""`. */
  readonly name: string;
  /** Hash of its canonical form: see `definitionHash` of `@touchstone/protocol`. */
  readonly hash: string;
}

/** The same with the declaration's canonical form, to show differences from another one. */
export interface PinnedText extends PinItem {
  /** Undefined if it is longer than {@link MAX_PINNED_TEXT}. */
  readonly text: string | undefined;
}

/**
 * A declaration that nobody has approved, and the one that a lock file has under its name, unless the store already
 * has that.
 */
export interface UnapprovedText extends PinnedText {
  readonly locked?: { readonly hash: string; readonly text: string | undefined } | undefined;
}

/** What is known of a declaration. */
export interface Pin extends PinItem {
  readonly state: PinState;
  /**
   * Hash of the declaration that a lock file had under its name when this one was seen; null if there was none, or
   * the store has it.
   */
  readonly locked: string | null;
  /** When it was first seen, RFC 3339. */
  readonly since: string;
  /** When, and by whom, it was last approved or revoked, as far as known. */
  readonly decided: string | null;
  readonly caller: string | null;
}

/** All that is known of a server's declarations. */
export interface PinSet {
  /** Changes with each update. */
  readonly version: number;
  /** The kinds whose first declarations were approved automatically. */
  readonly firstUse: ReadonlySet<string>;
  readonly pins: readonly Pin[];
}

/** The text of a longer declaration, in bytes, is not kept, so no difference can be shown; its hash is still pinned. */
export const MAX_PINNED_TEXT = 262_144;
/**
 * How many held declarations of one server to keep, and how many bytes of their texts; the oldest are dropped first.
 */
export const MAX_HELD_DECLARATIONS = { items: 10_000, bytes: 67_108_864 } as const;

/** Reads approvals. */
export interface PinReader {
  /**
   * Returns what is known of a server.
   * @param known the caller's version; returns undefined if that is still current
   */
  read(server: string, known?: number): Promise<PinSet | undefined>;
  /** Returns the canonical forms of declarations by hash, as far as they are kept and intact. */
  texts(server: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the servers with known declarations. */
  servers(): Promise<readonly string[]>;
}

/** Keeps approvals, for all processes that share the store. They are never pruned. */
export interface PinStore extends PinReader {
  /**
   * Records, once for the store, that approvals are recorded from now on. Called before the record of a decision.
   * @throws ActivityError if the store cannot be read or written
   */
  begin(): Promise<void>;
  /**
   * Records and approves the first declarations of a kind, with one insert-if-absent: if several processes try, one
   * succeeds.
   * @returns whether this process succeeded; if not, nothing is changed
   */
  firstUse(server: string, kind: PinKind, items: readonly PinnedText[]): Promise<boolean>;
  /** Keeps declarations that were seen but are not approved. Returns those that are new. */
  saw(server: string, items: readonly UnapprovedText[]): Promise<readonly UnapprovedText[]>;
  /** Approves or revokes declarations. Returns those whose state changed. */
  decide(
    server: string,
    items: readonly PinItem[],
    decision: { readonly state: "approved" | "revoked"; readonly caller: string | undefined },
  ): Promise<readonly PinItem[]>;
}
