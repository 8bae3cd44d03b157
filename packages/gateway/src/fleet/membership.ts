import { hostname } from "node:os";
import { messageOf } from "@touchstone/core";
import type { ContractScope } from "../contracts/store.ts";
import { nextId } from "../records/ids.ts";
import type { Logger } from "../util/log.ts";
import { compareGateways, type Fleet, HEARTBEAT_MS } from "./gateways.ts";
import type { PostgresRegistry, Registration } from "./postgres-registry.ts";

/** Records of machines whose clocks differ by less are hardly out of order, and kept for as long. */
const CLOCKS_DIFFER_MS = 60_000;
/** About an hour. */
const BEATS_TO_FORGET = 360;

export interface MembershipParts {
  /** The PostgreSQL URL of the store that is shared; absent if none is. */
  readonly store: string | undefined;
  /** What holds at the moment. */
  readonly self: () => Pick<Registration, "version" | "configuration" | "listen">;
  /** Another gateway has learnt of a list that changed; without a scope it may have been any. */
  readonly listChanged: (scope: ContractScope | undefined) => void;
  readonly log: Logger;
  /** How often the gateway tells that it runs. Default {@link HEARTBEAT_MS}. */
  readonly heartbeatMs?: number;
  /** This machine's clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * A gateway among those that share its PostgreSQL store: tells them that it runs and with which
 * configuration, and hears of lists that changed. Nothing here stops a message: where the store
 * cannot be reached, the log says so once, and every heartbeat tries again. Does nothing if the
 * store is not shared.
 */
export class Membership {
  /** ULID; names this gateway in the store. */
  readonly id: string = nextId(new Date());
  readonly #parts: MembershipParts;
  #registry: PostgresRegistry | undefined;
  #timer: NodeJS.Timeout | undefined;
  #joining: Promise<void> | undefined;
  #left = false;
  #telling: Promise<void> | undefined;
  #failing = false;
  #clockDiffers = false;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /** Tells of this gateway for the first time, and goes on to. Never rejects. */
  join(): Promise<void> {
    this.#joining ??= this.#join();
    return this.#joining;
  }

  async #join(): Promise<void> {
    const { store, listChanged, heartbeatMs = HEARTBEAT_MS } = this.#parts;
    if (store === undefined) return;
    // Only who has a PostgreSQL store loads its client.
    const { PostgresRegistry } = await import("./postgres-registry.ts");
    if (this.#left) return;
    const registry = new PostgresRegistry(store, { listChanged });
    this.#registry = registry;
    let beats = 0;
    const beat = async (): Promise<void> => {
      await this.tell();
      // Nobody waits for it; whoever cannot be reached now will be.
      if (beats % BEATS_TO_FORGET === 0) void registry.forgetOld().catch(() => {});
      beats += 1;
    };
    await beat();
    if (this.#left) return;
    this.#timer = setInterval(() => void beat(), heartbeatMs).unref();
  }

  /** Reports what holds now, without waiting for the next heartbeat. Never rejects. */
  tell(): Promise<void> {
    // What changes while it is being told is reported by the next one.
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  /**
   * All gateways that share the store, compared with this one; undefined if it is not shared.
   * @throws ActivityError where the store does not answer
   */
  async fleet(): Promise<Fleet | undefined> {
    const { store, self } = this.#parts;
    if (store === undefined) return undefined;
    const { readGateways } = await import("./read-gateways.ts");
    return compareGateways(await readGateways(store), self().configuration);
  }

  /** Takes this gateway off the list, permanently; one that is just joining as well. Never rejects. */
  async leave(): Promise<void> {
    this.#left = true;
    await this.#joining;
    clearInterval(this.#timer);
    await this.#telling;
    const registry = this.#registry;
    this.#registry = undefined;
    // One that cannot say so is silent from now on, which is told too.
    await registry?.leave(this.id).catch(() => {});
  }

  async #tell(): Promise<void> {
    const { self, log, now = Date.now } = this.#parts;
    try {
      const sent = now();
      const clock = await this.#registry?.tell({ id: this.id, host: hostname(), ...self() });
      if (clock !== undefined) this.#compareClocks(clock, sent, now());
      if (this.#failing)
        log.info("the gateways that share the activity store hear of this one again");
      this.#failing = false;
    } catch (error) {
      if (this.#failing) return;
      this.#failing = true;
      const reason = messageOf(error);
      log.warn("the gateways that share the activity store do not hear of this one", { reason });
    }
  }

  /** @param clock the store's, read between `sent` and `received` by this machine's */
  #compareClocks(clock: number, sent: number, received: number): void {
    const ahead = sent - clock > CLOCKS_DIFFER_MS;
    const differs = ahead || clock - received > CLOCKS_DIFFER_MS;
    if (differs && !this.#clockDiffers) {
      const seconds = Math.round(Math.abs((sent + received) / 2 - clock) / 1000);
      this.#parts.log.warn(
        `this machine's clock is ${seconds} s ${ahead ? "ahead of" : "behind"} that of the activity store, and ` +
          "records are listed, and removed when they are old, by their machine's time; set the clock (NTP)",
      );
    }
    this.#clockDiffers = differs;
  }
}
