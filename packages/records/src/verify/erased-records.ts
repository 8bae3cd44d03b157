import { remainderDigest } from "../erased-record.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityReader, ChainLink } from "../store.ts";
import type { ChainFault } from "./fault.ts";

interface Marked {
  readonly chain: string;
  readonly seq: number;
  readonly id: string;
  readonly digest: string | undefined;
}

/** Records that are marked as erased. The records of their erasure may be in a chain that is walked later. */
export class ErasedRecords {
  readonly #marked: Marked[] = [];

  add(chain: string, link: ChainLink & { readonly record: ActivityRecord }): void {
    const { seq, id, record, hash, prev_hash } = link;
    this.#marked.push({ chain, seq, id, digest: remainderDigest({ ...record, hash, prev_hash }) });
  }

  get count(): number {
    return this.#marked.length;
  }

  /** Returns a fault for each record that no record of an erasure confirms, or that was changed since. */
  async unproved(reader: ActivityReader): Promise<readonly ChainFault[]> {
    if (this.#marked.length === 0) return [];
    const erasures = await reader.erasures();
    return this.#marked
      .filter(({ digest }) => digest === undefined || !erasures.has(digest))
      .map(({ chain, seq, id }) => ({
        ...{ chain, kind: "edited" as const, position: seq, id },
        message: `record ${id} is marked as erased, but no record says that it was left like this`,
      }));
  }
}
