/** What ends when a client leaves: the socket of HTTP/1, the stream of HTTP/2. */
interface Connection {
  readonly destroyed?: unknown;
  on(event: "close", listener: () => void): unknown;
}

/** What is run when a connection ends: one listener for all requests that came in a row. */
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

/** Returns the connection of Node's request, or of the one that a framework has put into its own. */
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
export interface Presence {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** To be called when the client's leaving matters no more. */
  readonly end: () => void;
}

/**
 * Watches the connection of a request that comes without its response. If there is none to be seen, the
 * client never leaves.
 */
export function watchClient(request: object): Presence {
  const left = new AbortController();
  const { signal } = left;
  const connection = connectionOf(request);
  if (connection === undefined) return { signal, end: () => {} };
  if (connection.destroyed === true) left.abort();
  return { signal, end: whenClosed(connection, () => left.abort()) };
}
