import type { Check, GuardTrip, Outcome, Rule } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import type { Decision, Direction, Mode } from "../policy/settings.ts";

/** Who a frame comes from, or goes to. */
export type Party = "client" | "server" | "gateway";

export type Peer = "client" | "server";

/** Who talks, as far as a conversation has learnt of it. */
export interface Speaker {
  /** `sha256:` and a digest of the session's id; the id itself is never told. */
  readonly session?: string;
  /** `name/version` as the client introduced itself. */
  readonly client?: string;
  readonly revision?: string;
  /** Who calls, as the gateway has identified it. */
  readonly caller?: { readonly name: string } | undefined;
}

export interface CheckFact {
  readonly direction: Direction;
  readonly mode: Mode;
  readonly outcome: Outcome;
  readonly decision: Decision;
  /** The class of the first issue. */
  readonly rule?: Rule | undefined;
  readonly guard?: GuardTrip["guard"] | undefined;
  /** Whether it refused a call that was refused before. */
  readonly repeated?: boolean;
  /** When it began, on {@link Tap.now}. */
  readonly began: number | undefined;
}

/** What a tap learns of a tool call; read when the call ends. */
export interface CallFacts {
  /** Links the call with its activity records. */
  readonly requestId: string;
  readonly tool: string | undefined;
  /** Undefined if the server does not declare such a tool. */
  readonly contract: unknown;
  /** Whether it is of a tool of the gateway's own. */
  readonly own?: boolean;
  readonly verdict: {
    readonly decision: Decision;
    readonly outcome: Outcome;
    readonly direction?: Direction;
  };
}

/** Why an operation ended without a response of the other side. */
export type Failure = "cancelled" | "connection_lost" | "refused" | "timeout" | "too_large";

/** One request or notification on its way. The first end counts, whatever is told after it. */
export interface Operation {
  /** It is a call of this tool. */
  about(call: CallFacts): void;
  /** The receiving half is done with it: it goes on, goes back, or ends here. */
  passed(passage: { readonly onward?: Uint8Array; readonly back?: readonly Uint8Array[] }): void;
  /** The other side has answered. @param at when, on {@link Tap.now}; now where absent */
  answered(answer: Frame, at?: number): void;
  /**
   * This response goes to the one who asked.
   * @param theirs what the other side sent; its bytes are those of the response where that is its own
   */
  released(answer: Uint8Array, theirs?: Frame): void;
  /** No response came. */
  failed(reason: Failure, answer?: Uint8Array): void;
}

/**
 * Is shown what happens in one conversation: for captures, telemetry and drift. Takes what it has a method for; none of
 * them changes anything, throws or waits.
 */
export interface Tap {
  /**
   * A frame passes.
   * @param bytes copied at once
   * @param answers the method of the gateway's own request that they answer
   */
  frame?(from: Party, to: Party, bytes: Uint8Array, answers?: string): void;
  /** A frame passes of which only the ends were kept. */
  oversize?(from: Party, bytes: number): void;
  /**
   * A message begins its way.
   * @returns what follows it to the end; undefined if nothing does
   */
  begin?(from: Peer, frame: Frame): Operation | undefined;
  /** The clock of the times that a tap takes, in milliseconds. */
  now?(): number;
  /** A check has ended. */
  checked?(check: CheckFact): void;
  /** Records were appended, or could not be. @param began when that was begun */
  appended?(began: number | undefined): void;
  /** A tool's schema was applied to the structured content of a result. */
  result?(contract: ToolContract, structuredContent: Uint8Array, check: Check): void;
}

const NONE: Tap = {};

/** Joins taps to one. At most one of them follows messages and takes times. */
export function joinTaps(given: readonly (Tap | undefined)[]): Tap {
  const taps = given.filter((tap) => tap !== undefined);
  const [only, ...others] = taps;
  if (only === undefined || others.length === 0) return only ?? NONE;
  const joined: Tap = {};
  const having = (method: keyof Tap): readonly Tap[] => taps.filter((tap) => method in tap);
  const frames = having("frame");
  if (frames.length > 0)
    joined.frame = (...shown) => {
      for (const tap of frames) tap.frame?.(...shown);
    };
  const cut = having("oversize");
  if (cut.length > 0)
    joined.oversize = (...shown) => {
      for (const tap of cut) tap.oversize?.(...shown);
    };
  const results = having("result");
  if (results.length > 0)
    joined.result = (...shown) => {
      for (const tap of results) tap.result?.(...shown);
    };
  const [follower] = having("begin");
  if (follower === undefined) return joined;
  joined.begin = (...shown) => follower.begin?.(...shown);
  joined.now = () => follower.now?.() ?? 0;
  joined.checked = (check) => follower.checked?.(check);
  joined.appended = (began) => follower.appended?.(began);
  return joined;
}

/** A tap that takes every frame. */
export type FrameTap = Required<Pick<Tap, "frame" | "oversize">>;

/** A file that frames are written to. */
export interface Capture {
  /** Begins to take the frames of a conversation. */
  tap(server: string, who: Speaker): FrameTap;
  /** Writes what waits, 10 s at most, and closes the file. */
  close(): Promise<void>;
}
