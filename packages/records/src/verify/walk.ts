import { CHAIN_START, hasOwnHash } from "../chain.ts";
import { PageSize, recordsLength } from "../page-size.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityChain, ActivityReader, ChainLink } from "../store.ts";
import type { ChainFault, ChainFaultKind } from "./fault.ts";
import { chainNoteFault, type IdSkew, largerSkew } from "./notes.ts";

/** How many rows to read at a time. */
const PAGE = 500;
/** How far away to search for a misplaced record. */
const LOOK_AHEAD = 100;

/** The reports of a walk. */
export interface ChainWalkListener {
  readonly fault: (fault: ChainFault) => void;
  /** Called for a record in its position, or any other row. */
  readonly passed: (link: ChainLink) => void;
  /** Called for a record that is marked as erased: whether a record confirms that is checked later. */
  readonly erased: (link: ChainLink & { readonly record: ActivityRecord }) => void;
}

/**
 * Walks one chain from its first record to the last one that `chain` names, keeping at most a few hundred records at
 * a time.
 */
export async function walkChain(
  reader: ActivityReader,
  chain: ActivityChain,
  listener: ChainWalkListener,
): Promise<void> {
  const walk = new Walk(chain, listener);
  // Records that are appended in the meantime are left for the next verification.
  const end = Math.max(chain.appended - 1, chain.last_seq ?? -1);
  let buffer: readonly ChainLink[] = [];
  let from = Math.min(0, chain.first_seq ?? 0);
  let more = true;
  const size = new PageSize(PAGE);
  while (more || buffer.length > 0) {
    if (more && buffer.length <= LOOK_AHEAD) {
      const limit = size.next;
      const page = await reader.readLinks(chain.chain, from, limit);
      size.took(page.length, recordsLength(page.map(({ record }) => record)));
      const last = page.at(-1);
      const next = (last?.seq ?? from) + 1;
      // Forged positions may exceed the range of numbers.
      more = page.length === limit && next <= end && next > from;
      from = next;
      buffer = [...buffer, ...page.filter(({ seq }) => seq <= end)];
    }
    const ready = more ? buffer.length - LOOK_AHEAD : buffer.length;
    for (let at = 0; at < ready; at += 1) {
      const link = buffer[at];
      if (link !== undefined) walk.take(link, buffer.slice(at + 1, at + 1 + LOOK_AHEAD));
    }
    buffer = buffer.slice(Math.max(0, ready));
  }
  walk.end();
}

class Walk {
  readonly #chain: ActivityChain;
  readonly #listener: ChainWalkListener;
  #position: number;
  #head: string;
  /** The record with the hash `#head`, and the hash before it. */
  #last: ChainLink | undefined;
  #first: string | null = null;
  #headBefore: string | undefined;
  /** Whether the previous record was edited: its hash may be the edited part. */
  #afterEdit = false;
  /** Whether any fault was found. */
  #faulty = false;
  /** The record whose id is furthest from its time. */
  #skew: IdSkew | undefined;
  /** Hashes of records that are too early, by the hash that they follow. */
  readonly #early: Map<string, string> = new Map();
  /** Ids of records that arrived too late. */
  readonly #late: Set<string> = new Set();

  constructor(chain: ActivityChain, listener: ChainWalkListener) {
    this.#chain = chain;
    this.#listener = listener;
    this.#position = chain.pruned;
    this.#head = chain.pruned_hash ?? CHAIN_START;
  }

  /** @param ahead the following records, as far as they are known */
  take(link: ChainLink, ahead: readonly ChainLink[]): void {
    this.#listener.passed(link);
    if (link.seq < this.#position) {
      const where =
        link.seq < 0 ? "before the first one" : "where retention has removed the records";
      this.#fault("inserted", link, `stands ${where}`);
      return;
    }
    const { head, appended } = this.#chain;
    if (head !== null && link.seq > this.#position && link.seq >= appended) {
      this.#fault("inserted", link, "is after the last one that was appended");
      return;
    }
    this.#first ??= link.id;
    if (link.seq > this.#position) this.#removed(this.#position, link.seq, link.prev_hash);
    this.#position = link.seq + 1;
    if (this.#late.delete(link.id)) {
      this.#fault("reordered", link, "is after records that followed it");
      return;
    }
    const { record } = link;
    const isErased = record?.erased === true;
    if (isErased) this.#listener.erased({ ...link, record });
    const intact = isErased || (record !== undefined && hasOwnHash(record));
    if (!intact) this.#fault("edited", link, "was changed after it had been recorded");
    else this.#skew = largerSkew(this.#skew, link);
    const fits = link.prev_hash === this.#head || this.#afterEdit || !intact;
    if (fits || this.#explained(link, ahead)) {
      this.#afterEdit = !intact;
      this.#advance(link);
    }
  }

  /** Checks the end. */
  end(): void {
    const { appended } = this.#chain;
    if (this.#position < appended) this.#removed(this.#position, appended, this.#head);
    const found = chainNoteFault(this.#chain, {
      position: this.#position,
      head: this.#afterEdit ? undefined : this.#head,
      last: this.#last?.id ?? null,
      first: this.#first,
      faulty: this.#faulty,
      skew: this.#skew,
    });
    if (found !== undefined) this.#listener.fault(found);
  }

  #advance(link: ChainLink): void {
    this.#headBefore = this.#head;
    this.#head = link.hash;
    this.#last = link;
    for (let next = this.#early.get(this.#head); next !== undefined; ) {
      this.#early.delete(this.#head);
      this.#head = next;
      next = this.#early.get(next);
    }
  }

  /** Reports why a record does not follow from the one before it. Returns whether the chain continues with it. */
  #explained(link: ChainLink, ahead: readonly ChainLink[]): boolean {
    const wanted = ahead.find(({ prev_hash }) => prev_hash === this.#head);
    if (wanted === undefined) {
      if (link.prev_hash === this.#headBefore && this.#last !== undefined) {
        this.#fault("inserted", this.#last, "was put between two that followed each other");
      } else {
        this.#fault("unlinked", link, "does not follow from the record before it");
      }
      return true;
    }
    if (link.prev_hash === wanted.hash) {
      this.#late.add(wanted.id);
      return true;
    }
    if (ahead.some(({ hash }) => hash === link.prev_hash)) {
      this.#early.set(link.prev_hash, link.hash);
      this.#fault("reordered", link, "is before the record that it followed");
    } else {
      this.#fault("inserted", link, "was put between two that followed each other");
    }
    if (ahead[0]?.prev_hash === wanted.hash) {
      this.#late.add(wanted.id);
      this.#head = wanted.hash;
    }
    return false;
  }

  #removed(from: number, until: number, head: string): void {
    const { chain } = this.#chain;
    this.#faulty = true;
    const count = until - from;
    const message = count === 1 ? "a record is missing" : `${count} records are missing`;
    this.#listener.fault({ chain, kind: "removed", position: from, id: null, message, until });
    this.#head = head;
    this.#headBefore = undefined;
    this.#afterEdit = false;
  }

  #fault(kind: ChainFaultKind, { seq, id }: ChainLink, what: string): void {
    const { chain } = this.#chain;
    this.#faulty = true;
    this.#listener.fault({ chain, kind, position: seq, id, message: `record ${id} ${what}` });
  }
}
