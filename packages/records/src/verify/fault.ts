/**
 * What is wrong with a chain.
 *
 * - `edited`: the record's content does not match its hash, or the store's data about the record or the chain was
 *   changed
 * - `removed`: the records at these positions are missing
 * - `inserted`: there is a record where nothing was appended
 * - `reordered`: the record is in the position of another one
 * - `unlinked`: the previous record is not the one that it followed: that one was rewritten with a new hash, or
 *   records in between were removed and the rest renumbered
 * - `unknown`: the chain has records although touchstone never began it
 * - `checkpoint`: the chain is not the one that the checkpoint was signed for
 */
export type ChainFaultKind =
  | "edited"
  | "removed"
  | "inserted"
  | "reordered"
  | "unlinked"
  | "unknown"
  | "checkpoint";

export interface ChainFault {
  readonly chain: string;
  readonly kind: ChainFaultKind;
  /** Position in the chain, from 0. */
  readonly position: number;
  /** Id of the record at fault; `null` if it is missing. */
  readonly id: string | null;
  readonly message: string;
  /** Position after the last missing record, for `removed`. */
  readonly until?: number;
}
