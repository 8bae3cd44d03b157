import type { ClientExchange, ServerExchange, Stage, StageOutcome } from "../exchange.ts";
import { notRecorded } from "../messages.ts";
import { endLookalikeRequest } from "./correlate.ts";

/** Forwards a client message after its records are written. Without records it does not wait. */
export const recordClient: Stage<ClientExchange> = {
  name: "record",
  wait(exchange) {
    if (exchange.entries.length === 0) return undefined;
    return exchange.write().then(async () => {
      // The error goes back to the client, and the call never reaches the server.
      const expired = await exchange.call?.expired;
      if (expired !== undefined) exchange.expired = expired;
    });
  },
  run({ frame, call, kept, expired, undo }): StageOutcome {
    if (expired !== undefined) return { respond: expired };
    if (call) call.sent = kept;
    if (kept) return "continue";
    return undo() ? { respond: notRecorded(frame.id) } : "drop";
  },
};

/** Forwards a server message, or its replacement, after its records are written. */
export const recordServer: Stage<ServerExchange> = {
  name: "record",
  wait(exchange) {
    const { state, pending, entries, shared, isReplaced } = exchange;
    if (shared !== undefined) return shared.then(() => writeResponse(exchange));
    // Of all responses, only those that the gateway itself writes certainly have the id that the client waits for.
    if (pending && isReplaced) endLookalikeRequest(state, pending);
    return entries.length === 0 ? undefined : exchange.write();
  },
  run(exchange): StageOutcome {
    const { state, frame, pending, kept, isResponse } = exchange;
    if (isResponse) {
      if (!kept && pending) endLookalikeRequest(state, pending);
      if (!kept) exchange.onward = notRecorded(pending?.id ?? frame.id);
      pending?.operation?.released(exchange.onward, frame);
      return "continue";
    }
    if (kept) return "continue";
    return frame.kind === "request" ? { respond: notRecorded(frame.id) } : "drop";
  },
};

async function writeResponse(exchange: ServerExchange): Promise<void> {
  const { state, pending, isReplaced } = exchange;
  if (pending && isReplaced) endLookalikeRequest(state, pending);
  await exchange.write();
}
