import type { ContractHashes } from "../../contracts/store.ts";

/** What is read of a kept contract, from either database. */
export interface ContractRow {
  readonly tool: string;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
}

/** The schemas' hashes of kept contracts, by tool. */
export function hashesOf(rows: readonly ContractRow[]): ReadonlyMap<string, ContractHashes> {
  return new Map(
    rows.map((row) => [
      row.tool,
      { inputHash: row.input_hash ?? undefined, outputHash: row.output_hash ?? undefined },
    ]),
  );
}
