import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import { validationOf } from "../validation/answer-call.ts";
import { withValidation } from "../validation/change-answer.ts";

/** Answers calls of the validation tool that the gateway has added for a server without one. */
export const validationClient: Stage<ClientExchange> = {
  name: "validation",
  run({ state, frame, call, entries }) {
    const answered = call && validationOf(state, frame, call);
    if (answered === undefined) return "continue";
    entries.push(answered.entry);
    return { respond: answered.bytes };
  },
};

/** Adds to introductions and lists of tools that the gateway validates for the server, if it was told to. */
export const validationServer: Stage<ServerExchange> = {
  name: "validation",
  wait(exchange) {
    const { frame, pending, isReplaced } = exchange;
    const changes = pending && !pending.call && !isReplaced && frame.kind === "response";
    if (!changes) return undefined;
    return withValidation(exchange.state, frame, pending)?.then((changed) => {
      exchange.onward = changed;
    });
  },
  run: () => "continue",
};
