import { isRecordId } from "../cursor.ts";
import { idSkew } from "../ids.ts";
import type { ActivityChain, ChainLink } from "../store.ts";
import type { ChainFault } from "./fault.ts";

/** By how many milliseconds a record's id is after its time. */
export interface IdSkew {
  readonly link: ChainLink;
  readonly ms: number;
}

/** The state of a walk through a chain. */
export interface WalkEnd {
  /** The position after the last row. */
  readonly position: number;
  /** The hash of the last record; absent if that was edited. */
  readonly head: string | undefined;
  /** The id of the last record; `null` if no record is left. */
  readonly last: string | null;
  /** The id of the first record that is left; `null` if none is. */
  readonly first: string | null;
  /** Whether the walk found a fault. */
  readonly faulty: boolean;
  readonly skew: IdSkew | undefined;
}

/** Returns the record whose id is further from its time. */
export function largerSkew(known: IdSkew | undefined, link: ChainLink): IdSkew | undefined {
  if (link.record === undefined) return known;
  const ms = idSkew(link.record);
  return known === undefined || ms > known.ms ? { link, ms } : known;
}

/** Compares the store's data about a chain with the chain's records. */
export function chainNoteFault(
  { chain, appended, head, pruned, pruned_id, skew_ms }: ActivityChain,
  walked: WalkEnd,
): ChainFault | undefined {
  const { position, first, last, faulty, skew } = walked;
  // The chain's first fault already reports that it was never begun, or that its end is missing.
  if (head === null || position < appended) return undefined;
  const note = `the store counts ${appended} records`;
  const edited = (message: string): ChainFault => {
    return { chain, kind: "edited", position: appended, id: null, message };
  };
  if (pruned > appended) return edited(`${note}, and retention has removed ${pruned}`);
  const isOther = walked.head !== undefined && walked.head !== head;
  if (position > appended && isOther) {
    const message = `there are records after the last one that was appended, the last of them ${last}`;
    return { chain, kind: "inserted", position: appended, id: last, message };
  }
  if (isOther) {
    const what = last === null ? "what retention has removed last" : `record ${last}`;
    const message = `${what} is not the one that was appended last`;
    return { chain, kind: "edited", position: appended - 1, id: last, message };
  }
  // An inserted record has moved the others.
  if (faulty) return undefined;
  if (position > appended) return edited(`${note}, and there are ${position}`);
  // The ids of a chain increase. An early release did not store the id.
  const mayBeLast = pruned > 0 && isRecordId(pruned_id ?? "") && (first ?? "~") > (pruned_id ?? "");
  if (pruned_id !== null && !mayBeLast) {
    return edited(`${note}, and names one that retention cannot have removed last`);
  }
  if (skew !== undefined && skew_ms !== null && skew.ms > skew_ms) {
    // Filters by time would not find the record.
    const { seq, id } = skew.link;
    const message = `record ${id} lies further from its time than the store notes of the chain`;
    return { chain, kind: "edited", position: seq, id, message };
  }
  return undefined;
}
