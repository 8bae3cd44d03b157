import type { PinItem } from "@touchstone/records/plain";
import type { ToolContract } from "./contract.ts";

/** A declaration that is new and not approved. */
export interface PinChange extends PinItem {
  /** Hash of the approved declaration of this name; undefined if there is none. */
  readonly previous: string | undefined;
  /** The differences, as a clause. */
  readonly what: string;
  /** Which schemas of a tool may differ from the approved ones. */
  readonly schemas: readonly ("input" | "output")[];
}

/** The part of a server's approvals that is needed to learn its lists. `features/pin/pins.ts` implements it. */
export interface ListApprovals {
  /** Whether anything is pinned now. */
  readonly isOn: boolean;
  /** Whether the first tools still wait for approval, as far as known. */
  needsFirst(kind: "tool"): boolean;
  /** Reads the approvals. Never rejects. */
  refresh(): Promise<void>;
  /**
   * Takes a server's list, and keeps unapproved tools. Never rejects.
   * @param tools those of this page
   * @param whole the tools of the whole list, once known
   * @returns tools that no gateway has seen before
   */
  listed(
    tools: readonly ToolContract[],
    whole: readonly ToolContract[] | undefined,
  ): Promise<readonly PinChange[]>;
  /** Returns whether a tool was first seen after a time and held back then, so that a record of it exists. */
  isRecorded(item: Pick<PinItem, "name" | "hash">, after: string): boolean;
}
