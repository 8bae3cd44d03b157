/** What a server declares first is approved: a value of `lock`. */
export const FIRST_USE = "first_use";

/** What becomes of declarations that nobody has approved; the same for all tools of a server. */
export interface PinSettings {
  readonly mode: "off" | "warn" | "strict";
  /** What is approved: {@link FIRST_USE}, or the absolute path of a lock file. Nothing is if it is absent. */
  readonly lock?: string;
}

/** What a server declares that can be pinned. */
export type PinKind = "tool" | "instructions" | "prompt" | "resource_template";

/**
 * - `approved`: it may be used
 * - `held`: it was seen, and nobody has approved it
 * - `revoked`: its approval was withdrawn; this also overrules a lock file
 */
export type PinState = "approved" | "held" | "revoked";

/** One declaration of a server. */
export interface PinItem {
  readonly kind: PinKind;
  /** Its name; of a resource template, the template; of instructions, `""`. */
  readonly name: string;
  /** Of its canonical form: see `definitionHash` of `@touchstone/protocol`. */
  readonly hash: string;
}

/** The same with its canonical form, of which the difference from another one can be shown. */
export interface PinnedText extends PinItem {
  readonly text: string;
}

/** A declaration that nobody has approved, and what a lock file has under its name, if the store does not have that. */
export interface SeenText extends PinnedText {
  readonly locked?: { readonly hash: string; readonly text: string } | undefined;
}

/** What is known of a declaration. */
export interface Pin extends PinItem {
  readonly state: PinState;
  /** Hash of what a lock file had under its name when it was seen; null if there was none, or the store has it. */
  readonly locked: string | null;
  /** When it was seen first, RFC 3339. */
  readonly since: string;
  /** When it was approved or revoked last, and by whom, as far as that is known. */
  readonly decided: string | null;
  readonly caller: string | null;
}

/** All that is known of a server's declarations. */
export interface PinSet {
  /** Another one after each change. */
  readonly version: number;
  /** The kinds of which the first declarations were approved without a decision of somebody. */
  readonly firstUse: ReadonlySet<string>;
  readonly pins: readonly Pin[];
}

/** The text of a longer declaration is not kept, so that no difference can be shown; its hash is pinned all the same. */
export const MAX_PINNED_TEXT = 262_144;
/** Declarations of one server that are kept as held, and the bytes of their texts; the oldest are forgotten first. */
export const MAX_HELD = { items: 10_000, bytes: 67_108_864 } as const;

/** Keeps approvals. All processes that share the store share them. They are never pruned. */
export interface PinStore {
  /**
   * Returns what is known of a server.
   * @param known the version that the caller has; undefined is returned if that is still the one
   */
  read(server: string, known?: number): Promise<PinSet | undefined>;
  /**
   * Approves the first declarations of a kind, with one insert-if-absent: of several processes, one does it.
   * @returns whether this one did; if not, nothing is changed
   */
  firstUse(server: string, kind: PinKind, items: readonly PinnedText[]): Promise<boolean>;
  /** Keeps declarations that were seen, and are not approved. Returns those that nobody has seen before. */
  saw(server: string, items: readonly SeenText[]): Promise<readonly SeenText[]>;
  /** Approves or revokes declarations. Returns those whose state this has changed. */
  decide(
    server: string,
    items: readonly PinItem[],
    decision: { readonly state: "approved" | "revoked"; readonly caller: string | undefined },
  ): Promise<readonly PinItem[]>;
  /** Returns the canonical forms of declarations by their hashes, as far as they are kept and intact. */
  texts(server: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the servers of which something is known. */
  servers(): Promise<readonly string[]>;
}
