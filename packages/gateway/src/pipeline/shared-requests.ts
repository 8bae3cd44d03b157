import type { PendingRequest } from "./inflight.ts";

/** The requests of one server that other gateways know of as well. Nothing here rejects. */
export interface SharedRequests {
  /** Resolves when the others know of them. @param requests by the keys of their ids */
  announce(session: string, requests: ReadonlyMap<string, PendingRequest>): Promise<void>;
  /** Tells that one is answered here. */
  answered(session: string, idKey: string): void;
  /** The request that an answer is to, as another gateway has announced it. */
  find(session: string, idKey: string, id: string): Promise<PendingRequest | undefined>;
  /** Whether another gateway has written the record of a call that is given up here. */
  isRecorded(requestId: string): Promise<boolean>;
}
