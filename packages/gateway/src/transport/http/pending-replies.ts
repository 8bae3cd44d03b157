import type { Frame } from "@touchstone/protocol";
import { SlotMap } from "../../slot-map.ts";
import type { Reply } from "./reply.ts";

interface Pending {
  readonly reply: Reply;
  readonly token: string | undefined;
}

/**
 * Where the answers of a session go: the reply to each request that has none yet. Where a client
 * uses an id again before its answer came, the answers are taken in the order of the requests.
 */
export class PendingReplies {
  readonly #byId: SlotMap<string, Pending[]> = new SlotMap();
  readonly #byToken: SlotMap<string, Reply> = new SlotMap();

  get empty(): boolean {
    return this.#byId.size === 0;
  }

  add(requests: readonly Frame[], reply: Reply): void {
    for (const { idKey, progressTokenKey: token } of requests) {
      if (idKey === undefined) continue;
      const same = this.#byId.get(idKey);
      if (same) same.push({ reply, token });
      else this.#byId.set(idKey, [{ reply, token }]);
      if (token !== undefined) this.#byToken.set(token, reply);
    }
  }

  /** Removes the oldest request with this id and gives where its answer goes. */
  take(idKey: string): Reply | undefined {
    const same = this.#byId.get(idKey);
    const pending = same?.shift();
    if (same?.length === 0) this.#byId.delete(idKey);
    if (pending === undefined) return undefined;
    const { reply, token } = pending;
    if (token !== undefined && this.#byToken.get(token) === reply) this.#byToken.delete(token);
    return reply;
  }

  /** Where the progress with this token goes. */
  ofToken(token: string): Reply | undefined {
    return this.#byToken.get(token);
  }

  /** The newest reply that a message can still be written to. */
  newest(): Reply | undefined {
    const all = [...this.#byId.values()].flat();
    return all.findLast(({ reply }) => reply.open)?.reply;
  }
}
