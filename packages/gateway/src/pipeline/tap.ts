import type { Check, GuardTrip, Outcome, Rule } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import type { ActivityStatus } from "@touchstone/records/record";
import type { ToolContract } from "../contracts/contract.ts";
import type { Decision, Direction, Mode } from "../settings/validation.ts";
import type { PayloadCheck } from "./decided.ts";

/** The sender or receiver of a frame. */
export type FrameParty = "client" | "server" | "gateway";

export type Peer = "client" | "server";

/** The two peers, as far as a conversation knows them. */
export interface ConversationPeers {
  /** `sha256:` and a digest of the session's id. The id itself is secret. */
  readonly session?: string;
  /** `name/version` as the client introduced itself. */
  readonly client?: string;
  readonly revision?: string;
  /** The caller, as the gateway identified it. */
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
  /** Whether the check refused a call that was refused before. */
  readonly repeated?: boolean;
  /** When it began, on {@link Tap.now}. */
  readonly began: number | undefined;
}

/** Facts about a tool call for a tap; read when the call ends. */
export interface CallFacts {
  /** Links the call with its activity records. */
  readonly requestId: string;
  readonly tool: string | undefined;
  /** Undefined if the server does not declare such a tool. */
  readonly contract: unknown;
  /** Whether the tool is one of the gateway's own. */
  readonly own?: boolean;
  /** Its status in its record; undefined if it has none yet. */
  readonly status?: ActivityStatus | undefined;
  readonly verdict: {
    readonly decision: Decision;
    readonly outcome: Outcome;
    readonly direction?: Direction;
  };
}

/** Why an operation ended without a response from the other side. */
export type OperationFailure =
  | "cancelled"
  | "connection_lost"
  | "refused"
  | "timeout"
  | "too_large";

/** One request or notification in the pipeline. The first end counts; later ones are ignored. */
export interface TapOperation {
  /** The message calls this tool. */
  about(call: CallFacts): void;
  /** The pipeline is done with the message: it was forwarded, returned, or ended here. */
  passed(passage: { readonly onward?: Uint8Array; readonly back?: readonly Uint8Array[] }): void;
  /** The other side has responded. @param at when, on {@link Tap.now}; defaults to now */
  answered(answer: Frame, at?: number): void;
  /**
   * The requester gets this response.
   * @param theirs the other side's response; the same bytes if it was forwarded
   */
  released(answer: Uint8Array, theirs?: Frame): void;
  /** No response came. */
  failed(reason: OperationFailure, answer?: Uint8Array): void;
}

/**
 * Observes one conversation: for captures, telemetry and drift. Only the methods that a tap has are called; none of
 * them changes anything, throws or waits.
 */
export interface Tap {
  /**
   * A frame passes.
   * @param bytes to copy at once
   * @param answers the method of the gateway's own request that they answer
   */
  frame?(from: FrameParty, to: FrameParty, bytes: Uint8Array, answers?: string): void;
  /** A frame passes that was too large, so that only its ends were kept. */
  oversize?(from: FrameParty, bytes: number): void;
  /**
   * A message enters the pipeline.
   * @returns its follower; undefined if there is none
   */
  begin?(from: Peer, frame: Frame): TapOperation | undefined;
  /** The clock for the tap's times, in milliseconds. */
  now?(): number;
  /** A check has ended. */
  checked?(check: CheckFact): void;
  /**
   * A tool's schema was applied to arguments or a result, and policy decided; called only for decisions about calls
   * that are not sent. For decisions about calls that are not sent.
   */
  judged?(part: PayloadCheck): void;
  /** Records were appended, or failed. @param began when the append began */
  appended?(began: number | undefined): void;
  /** A tool's schema was applied to the structured content of a result. */
  result?(contract: ToolContract, structuredContent: Uint8Array, check: Check): void;
}

const NONE: Tap = {};

/** Combines taps into one. At most one of them may follow messages and measure times. */
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
  tap(server: string, who: ConversationPeers): FrameTap;
  /** Writes pending frames, for 10 s at most, and closes the file. */
  close(): Promise<void>;
}
