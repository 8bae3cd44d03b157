import type { SlicePause } from "@touchstone/util";
import type { ContractSource } from "../contracts/contract-source.ts";
import type { Caller } from "./caller.ts";
import type { Mode } from "./decision.ts";
import type { LevelSettings } from "./level-settings.ts";
import type { ListStepName } from "./list.ts";
import type { ServerNarrowings } from "./narrow/narrow.ts";
import type { Pins } from "./pin/pins.ts";

/** What steps read of the settings in force for a tool. */
export interface ListSettings extends LevelSettings {
  readonly input: { readonly mode: Mode };
}

/** Who sees the list, and the settings that apply. */
export interface ListViewer {
  readonly server: string;
  /** Returns the settings of a tool, by its server's name for it; without a name, of the server. */
  readonly settings: (tool?: string) => ListSettings;
  /** `name/version` as the client introduced itself. */
  readonly client: string | undefined;
  /** The caller, if known. */
  readonly caller: Caller | undefined;
  /** Whether other callers may use other tools. Default: false. */
  readonly callersDiffer?: boolean;
  /** Approvals of the server's declarations; undefined if pins are not possible. */
  readonly pins?: Pins | undefined;
  /** Constraints on the arguments of single tools; undefined if there are none. */
  readonly narrowings?: ServerNarrowings | undefined;
  /** The revision of the list request. */
  readonly revision: string | undefined;
  /** What is known of the server's tools, this page included. */
  readonly source: ContractSource;
  /** Learns the whole list if only a part of it is known. Undefined if all is known. Never rejects. */
  readonly learnAll: () => Promise<void> | undefined;
  /** Changes whenever other tools have strict input validation. */
  readonly strictInput: string;
}

/** A tool of a page, as earlier steps left it. */
export interface ViewedTool {
  /** Its place on the server's page, from 0. */
  readonly place: number;
  /** The server's name for it; undefined if it is not an object with exactly one name that is a string. */
  readonly name: string | undefined;
  /** Whether its annotations have `readOnlyHint: true`, exactly once. */
  readonly isReadOnly: boolean;
  /** The text as the server wrote it. */
  readonly original: Uint8Array;
  /** The text for the client, if no further step changes it. */
  readonly text: Uint8Array;
  /** {@link original} as a value, parsed on first use; undefined if it is not JSON. */
  readonly definition: unknown;
}

/** A step's result for a tool; undefined leaves it unchanged. */
export type ToolView = {
  readonly reason: string;
  readonly keyword?: string;
} /** The tool is left out. */ & (
  | { readonly leftOut: true }
  /** The client gets this JSON text instead, spliced from `text` where possible. */
  | { readonly text: string; readonly isRefused?: boolean }
  /** The tool stays; the record says what was found. */
  | { readonly noted: true; readonly isRefused?: boolean }
);

/** A step prepared with the settings of one viewer. */
export interface PreparedStep {
  /** Changes whenever {@link view} may return something else for the same tool. */
  readonly key: string;
  /** Whether the result depends on the caller. If so, the list must not be shared between callers (`cacheScope`). */
  readonly isPrivate?: boolean;
  /** Whether {@link view} has skipped work that it may do the next time. */
  readonly isPartial?: () => boolean;
  /** Whether {@link view} may change schemas. */
  readonly changesSchemas?: boolean;
  /** Whether to block a page that cannot be read tool by tool. */
  readonly isStrict: boolean;
  /**
   * Decides about one tool, at once or in steps of a few milliseconds each. The view may pause between tools and
   * steps. Never throws.
   */
  readonly view: (
    tool: ViewedTool,
  ) => ToolView | undefined | Generator<SlicePause, ToolView | undefined>;
}

/**
 * A feature that removes or rewrites tools in the lists that clients get. The view of a list (`pipeline/list-view.ts`)
 * asks each step about one tool at a time, in the order of `list.ts`, and passes the tool as the steps before left it.
 */
export interface ListStep {
  readonly name: ListStepName;
  /** Waits for what the step needs. Undefined if nothing is missing or configured. Never rejects. */
  readonly wait?: (viewer: ListViewer) => Promise<unknown> | undefined;
  /** Reads the settings. Returns undefined if the lists of this viewer stay as they are. */
  readonly prepare: (viewer: ListViewer) => PreparedStep | undefined;
}
