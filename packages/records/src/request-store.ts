/** The facts about a request that another gateway needs to return its response on a resumed stream. */
export interface StoredRequest {
  /** The data that gateways share about it, as JSON text. */
  readonly request: string;
  /** Links the records of a tool call; absent for other requests. */
  readonly requestId?: string | undefined;
  /** The output schema in force when the call came; absent if there was none. */
  readonly output?: { readonly hash: string; readonly text: Uint8Array } | undefined;
}

/** A request that was found. */
export interface FoundRequest extends StoredRequest {
  /** Whether the call's record exists. */
  readonly recorded: boolean;
  /** For how long it has been pending. */
  readonly elapsedMs: number;
}

/** Identifies a request for all gateways. */
export interface RequestKey {
  readonly server: string;
  /** `sha256:` and the digest of the session's id. */
  readonly session: string;
  /** `sha256:` and the digest of its id's key. */
  readonly id: string;
}

/**
 * Keeps requests whose clients may resume their streams, for all gateways that share a store: for a day, and for some
 * minutes after they are answered, because a response may be lost on its way.
 */
export interface RequestStore {
  /** Adds requests, replacing those under the same ids. @throws ActivityError */
  keep(of: Omit<RequestKey, "id">, requests: ReadonlyMap<string, StoredRequest>): Promise<void>;
  /** Notes that a request is answered. @throws ActivityError */
  answered(key: RequestKey): Promise<void>;
  /** Returns a request and marks it as answered. @throws ActivityError */
  find(key: RequestKey): Promise<FoundRequest | undefined>;
  /** Returns whether a gateway has written the record of a call. @throws ActivityError */
  isRecorded(requestId: string): Promise<boolean>;
}
