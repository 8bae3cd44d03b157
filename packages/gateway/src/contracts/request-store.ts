/** What has to be known of a request whose response another gateway may bring, on a stream that is resumed there. */
export interface KeptRequest {
  /** What gateways tell each other of it, as JSON text. */
  readonly request: string;
  /** Links the records of a tool call; absent for other requests. */
  readonly requestId?: string | undefined;
  /** The output schema that was in force when the call came; absent for none. */
  readonly output?: { readonly hash: string; readonly text: Uint8Array } | undefined;
}

/** A request that was found. */
export interface FoundRequest extends KeptRequest {
  /** Whether the call's record is there. */
  readonly recorded: boolean;
  /** Since when it waits. */
  readonly elapsedMs: number;
}

/** Names a request to all gateways. */
export interface RequestKey {
  readonly server: string;
  /** `sha256:` and the digest of the session's id. */
  readonly session: string;
  /** `sha256:` and the digest of what its id is compared by. */
  readonly id: string;
}

/**
 * Keeps requests whose clients may resume their streams, where all gateways that share a store find them:
 * for a day, and for some minutes once they are answered, as a response may be lost on its way.
 */
export interface RequestStore {
  /** Instead of those that were kept under these ids. @throws ActivityError */
  keep(of: Omit<RequestKey, "id">, requests: ReadonlyMap<string, KeptRequest>): Promise<void>;
  /** Takes note that a request is answered. @throws ActivityError */
  answered(key: RequestKey): Promise<void>;
  /** Gives a request that is answered now. @throws ActivityError */
  find(key: RequestKey): Promise<FoundRequest | undefined>;
  /** Whether a gateway has written the record of a call. @throws ActivityError */
  isRecorded(requestId: string): Promise<boolean>;
}
