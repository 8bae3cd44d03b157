import { CHAIN_START, hasOwnHash } from "../chain.ts";
import type { ActivityChain, ActivityReader, ChainLink } from "../store.ts";

/**
 * What is wrong with a chain.
 *
 * - `edited`: the record's content is not what its hash was taken over
 * - `removed`: records that stood at these positions are missing
 * - `inserted`: a record stands where nothing was appended
 * - `reordered`: the record stands at the place of another one
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
  /** Position behind the last record that is missing, for `removed`. */
  readonly until?: number;
}

const PAGE = 500;
/** How far away a record is looked for that stands at another place. */
const LOOK_AHEAD = 100;

/** What a walk tells of. */
export interface WalkListener {
  readonly fault: (fault: ChainFault) => void;
  /** A record in its place, or any other row. */
  readonly passed: (link: ChainLink) => void;
}

/**
 * Follows one chain from its first record to the last one that `chain` tells of, and holds no more
 * than a few hundred records at a time.
 */
export async function walkChain(
  reader: ActivityReader,
  chain: ActivityChain,
  listener: WalkListener,
): Promise<void> {
  const walk = new Walk(chain, listener);
  // What is appended in the meantime is for the next verification.
  const end = Math.max(chain.appended, chain.pruned + chain.records);
  let buffer: readonly ChainLink[] = [];
  let from = 0;
  let more = true;
  while (more || buffer.length > 0) {
    if (more && buffer.length <= LOOK_AHEAD) {
      const page = await reader.readLinks(chain.chain, from, PAGE);
      const last = page.at(-1);
      more = page.length === PAGE && last !== undefined && last.seq + 1 < end;
      from = (last?.seq ?? from) + 1;
      buffer = [...buffer, ...page.filter(({ seq }) => seq < end)];
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
  readonly #listener: WalkListener;
  #position: number;
  #head: string;
  /** The record that `#head` is the hash of, and the head before it. */
  #last: ChainLink | undefined;
  #headBefore: string | undefined;
  /** Whether the record before was edited: its hash may be what was changed. */
  #afterEdit = false;
  /** Hashes of records that stand too early, by the hash that they follow. */
  readonly #early: Map<string, string> = new Map();
  /** Ids of records that stand too late. */
  readonly #late: Set<string> = new Set();

  constructor(chain: ActivityChain, listener: WalkListener) {
    this.#chain = chain;
    this.#listener = listener;
    this.#position = chain.pruned;
    this.#head = chain.pruned_hash ?? CHAIN_START;
  }

  /** @param ahead the records behind this one, as far as they are known */
  take(link: ChainLink, ahead: readonly ChainLink[]): void {
    this.#listener.passed(link);
    if (link.seq < this.#position) {
      this.#fault("inserted", link, "stands where retention has removed the records");
      return;
    }
    if (link.seq > this.#position) this.#removed(this.#position, link.seq, link.prev_hash);
    this.#position = link.seq + 1;
    if (this.#late.delete(link.id)) {
      this.#fault("reordered", link, "stands behind records that followed it");
      return;
    }
    const intact = link.record !== undefined && hasOwnHash(link.record);
    if (!intact) this.#fault("edited", link, "was changed after it had been recorded");
    const fits = link.prev_hash === this.#head || this.#afterEdit || !intact;
    if (fits || this.#explained(link, ahead)) {
      this.#afterEdit = !intact;
      this.#advance(link);
    }
  }

  /** Checks the end. */
  end(): void {
    const { appended, head, chain } = this.#chain;
    const id = this.#last?.id ?? null;
    if (this.#position < appended) {
      this.#removed(this.#position, appended, this.#head);
    } else if (head !== null && head !== this.#head && this.#position > appended) {
      const message = `records stand behind the last one that was appended, the last of them ${id}`;
      this.#listener.fault({ chain, kind: "inserted", position: appended, id, message });
    } else if (head !== null && head !== this.#head && !this.#afterEdit && appended > 0) {
      const message = `record ${id} is not the one that was appended last`;
      this.#listener.fault({ chain, kind: "edited", position: appended - 1, id, message });
    }
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

  /**
   * Tells why a record does not follow from the one before it. Gives whether the chain goes on with
   * it.
   */
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
      this.#fault("reordered", link, "stands before the record that it followed");
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
    const count = until - from;
    const message = count === 1 ? "a record is missing" : `${count} records are missing`;
    this.#listener.fault({ chain, kind: "removed", position: from, id: null, message, until });
    this.#head = head;
    this.#headBefore = undefined;
    this.#afterEdit = false;
  }

  #fault(kind: ChainFaultKind, { seq, id }: ChainLink, what: string): void {
    const { chain } = this.#chain;
    this.#listener.fault({ chain, kind, position: seq, id, message: `record ${id} ${what}` });
  }
}
