/** The object that closes when a client leaves: the socket of HTTP/1, or the stream of HTTP/2. */
interface Connection {
  readonly destroyed?: unknown;
  on(event: "close", listener: () => void): unknown;
}

/** Callbacks for the end of a connection: one listener for all requests on it. */
const waiting = new WeakMap<Connection, Set<() => void>>();

function whenClosed(connection: Connection, leave: () => void): () => void {
  let leaves = waiting.get(connection);
  if (leaves === undefined) {
    const all = new Set<() => void>();
    leaves = all;
    waiting.set(connection, all);
    connection.on("close", () => {
      for (const one of all) one();
    });
  }
  leaves.add(leave);
  return () => leaves.delete(leave);
}

function isConnection(value: unknown): value is Connection {
  return (
    typeof value === "object" && value !== null && "on" in value && typeof value.on === "function"
  );
}

/** Returns the connection of Node's request, or of the one that a framework wraps. */
function connectionOf(request: object): Connection | undefined {
  const { stream, socket, raw, req } = request as Readonly<Record<string, unknown>>;
  const candidates = [stream, socket];
  for (const inner of [raw, req]) {
    if (typeof inner !== "object" || inner === null) continue;
    const own = inner as Readonly<Record<string, unknown>>;
    candidates.push(own["stream"], own["socket"]);
  }
  return candidates.find(isConnection);
}

/** Returns whether a client is still there. */
export interface ClientPresence {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Stops watching. Call it when it no longer matters whether the client leaves. */
  readonly end: () => void;
}

/**
 * Watches the connection of a request whose response object is not known. If no connection is visible, the client never
 * leaves.
 */
export function watchClient(request: object): ClientPresence {
  const left = new AbortController();
  const { signal } = left;
  const connection = connectionOf(request);
  if (connection === undefined) return { signal, end: () => {} };
  if (connection.destroyed === true) left.abort();
  return { signal, end: whenClosed(connection, () => left.abort()) };
}
