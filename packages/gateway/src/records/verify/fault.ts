/**
 * What is wrong with a chain.
 *
 * - `edited`: the record's content is not what its hash was taken over, or what the store notes of the
 *   record or of the chain is not what it was
 * - `removed`: records that stood at these positions are missing
 * - `inserted`: a record stands where nothing was appended
 * - `reordered`: the record is at the place of another one
 * - `unlinked`: the record before it is not the one that it followed: that one was rewritten with a
 *   new hash, or those between were removed and the rest renumbered
 * - `unknown`: the chain holds records and was never begun by touchstone
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
  /** Position in the chain, from 0 on. */
  readonly position: number;
  /** Id of the record at fault; `null` where it is missing. */
  readonly id: string | null;
  readonly message: string;
  /** Position after the last record that is missing, for `removed`. */
  readonly until?: number;
}
