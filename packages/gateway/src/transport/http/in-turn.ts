import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More requests than this behind one that is not answered are no client's, but an attack on the memory. */
const MAX_PIPELINED = 100;

interface Pipelined {
  /** The response to the request that came last. */
  last: ServerResponse;
  /** How many requests wait for their turn. */
  waiting: number;
}

/**
 * Handles the requests of each connection one after the other, as RFC 9112, section 9.3.2, asks of those that
 * are not safe. One that is pipelined behind another is not begun before that is answered. So nothing is done
 * for a client that is gone by then: Node.js tells only the response whose turn it is that its connection has
 * closed, and any other would be under way for ever.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Pipelined>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipelined = connections.get(socket);
    if (pipelined === undefined) {
      connections.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = pipelined.last;
    pipelined.last = response;
    // It has the connection, unless another has it still.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    pipelined.waiting += 1;
    if (pipelined.waiting > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    before.once("close", () => {
      pipelined.waiting -= 1;
      // Nor where the answer before was the last one, as `Connection: close` asks for.
      if (response.socket !== null && !socket.destroyed) handle(request, response);
    });
  };
}
