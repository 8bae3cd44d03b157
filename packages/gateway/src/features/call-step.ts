import type { Check, CompiledSchema, GuardTrip, Issue } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import type { ToolContract } from "../contracts/contract.ts";
import type { UnknownSchemaReason } from "../contracts/contract-source.ts";
import type { Decision, Mode } from "./decision.ts";
import type { LevelSettings } from "./level-settings.ts";
import type { ServerNarrowings } from "./narrow/narrow.ts";
import type { Pins } from "./pin/pins.ts";
import type { PolicySettings } from "./policy/policy.ts";

/** What is known of a tool call. */
export interface CalledTool {
  /** Undefined if the call does not name its tool by a string. */
  readonly tool: string | undefined;
  readonly contract: ToolContract | undefined;
  /** Why the tool's declaration is unknown; undefined if it is known. */
  readonly gap?: UnknownSchemaReason | undefined;
}

/** The settings of one server, as far as they decide whether a step is on. */
export interface StepSettings {
  readonly all: readonly LevelSettings[];
  readonly narrowings?: ServerNarrowings | undefined;
}

/** A client message before it is sent, which may be a tool call. */
export interface SentMessage {
  /** With the tool's own name. */
  readonly frame: Frame;
  readonly came: { readonly transport?: TransportFault | undefined };
  readonly method: string | undefined;
  readonly toolName: string | undefined;
  readonly call: CalledTool | undefined;
  /** The bytes for the server: those of the frame, or different ones if the arguments were repaired. */
  readonly onward: Uint8Array;
  /** The settings for the called tool. */
  readonly settings: LevelSettings & {
    readonly input: { readonly maxBytes?: number | undefined };
  };
  readonly snapshot: StepSettings;
  /** Which tools the sender may use; undefined if no policy is configured. */
  readonly policy: PolicySettings | undefined;
  readonly state: {
    readonly context: { readonly server: string; readonly pins?: Pins | undefined };
  };
  /** The message as the client sent it, possibly with another name for the tool. */
  readonly asSent: Pick<Frame, "toolName">;
}

/** What is wrong with the transport's part of a message, and the code of the error for it. */
export interface TransportFault {
  readonly code: number;
  readonly message: string;
}

/** Why a message is not sent, or is recorded. */
export interface CallRefusal {
  readonly decision: Extract<Decision, "warning" | "blocked">;
  readonly mode: Mode;
  readonly issues: readonly Issue[];
  /** How many further issues there are. */
  readonly more?: number | undefined;
  readonly guard?: GuardTrip | undefined;
  /** What is wrong in one line, for records and logs. */
  readonly reason: () => string;
  readonly schemaHash?: string | undefined;
  /** The status of the call, if it is blocked. */
  readonly status: "denied" | "held" | "limited" | "out_of_bounds" | "rejected";
  /** Seconds until a call over a limit may be sent again. */
  readonly retryAfter?: number;
  /** Whether the server refused to list its tools, which explains the block. */
  readonly isGap?: boolean;
  /**
   * Returns the error for the client, if the message is blocked.
   * @param shown the client's name for the tool
   * @param inShown returns a check of the arguments with its issues by the schema that the client was shown
   */
  readonly error: (shown: string, inShown: (check: Check) => Check) => CallError;
}

/** An error for the client: the result of its call, or an error of the protocol. */
export type CallError =
  | { readonly as: "tool error" | "invalid params"; readonly text: string }
  /** Lists the issues, with the error code that the transport requires, if any. */
  | { readonly as: "blocked message"; readonly code?: number | undefined }
  /** Too many checks are waiting, so this message was not checked. */
  | "check queue full";

/** A schema to check the arguments of a call by. */
export interface ArgumentsCheck {
  readonly schema: CompiledSchema;
  readonly text: Uint8Array;
  /** Returns why the text is not checked, in steps; undefined if it is. */
  readonly ahead: Generator<void, Issue | undefined, void>;
}

/**
 * A feature that refuses tool calls. The pipeline (`pipeline/call-stage.ts`) asks the steps about each message from a
 * client, in the order of `pipeline/roads.ts`.
 */
export interface CallStep {
  readonly name: string;
  /**
   * Returns whether the feature is on.
   * @param hasOwnRules whether the caller has a policy or limits of its own
   */
  readonly isOn: (settings: StepSettings, hasOwnRules: boolean) => boolean;
  /**
   * Returns the schema to check before {@link CallStep.refuse}, because that may take long, or a finished check.
   * Undefined if there is nothing to check.
   */
  readonly check?: (message: SentMessage) => ArgumentsCheck | Check | undefined;
  /**
   * Decides about one message. Undefined if the feature has nothing to report. Never throws.
   * @param check the result of {@link CallStep.check}
   */
  readonly refuse: (message: SentMessage, check: Check | undefined) => CallRefusal | undefined;
}
