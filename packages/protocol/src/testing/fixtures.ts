import type { Sender } from "../messages/message-table.ts";
import { messagesOf } from "../messages/tables.ts";
import { paramsOf } from "./fixture-params.ts";
import { resultsOf } from "./fixture-results.ts";
import {
  CLIENT_CAPABILITIES,
  META,
  NOTIFIED,
  OBJECT,
  RESULT,
  SHORT_META,
  URL_ELICITATION,
} from "./fixture-values.ts";

/** A good message. Members that are newer than its revision are open in it. */
export interface Fixture {
  readonly name: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly sender: Sender;
  /** The method of the request that a response answers. */
  readonly requestMethod?: string;
}

const OTHER: Readonly<Record<Sender, Sender>> = { client: "server", server: "client" };

/** Good messages of every kind that a revision itself defines, each with all members that it may have. */
export function fixturesOf(version: string): readonly Fixture[] {
  const fixtures: Fixture[] = [];
  const params = paramsOf(version);
  const results = resultsOf(version);
  for (const [method, { from, kind, result, extension }] of Object.entries(
    messagesOf(version)?.methods ?? {},
  )) {
    if (extension !== undefined) continue;
    const sender: Sender = from === "both" ? "client" : from;
    const isRequest = kind === "request";
    for (const own of params[method] ?? [isRequest ? { cursor: "c" } : {}]) {
      const message = {
        jsonrpc: "2.0",
        ...(isRequest ? { id: 7 } : {}),
        method,
        params: {
          ...own,
          _meta: !isRequest ? NOTIFIED : method === "tools/list" ? META : SHORT_META,
        },
      };
      fixtures.push({ name: method, message, sender });
    }
    if (result === undefined) continue;
    for (const own of results[method] ?? [RESULT]) {
      const message = { jsonrpc: "2.0", id: "i", result: own };
      fixtures.push({
        name: `answer to ${method}`,
        message,
        sender: OTHER[sender],
        requestMethod: method,
      });
    }
  }
  const errors = [
    { code: -32603, message: "m", data: OBJECT },
    { code: -32042, message: "m", data: { elicitations: [URL_ELICITATION] } },
    { code: -32021, message: "m", data: { requiredCapabilities: CLIENT_CAPABILITIES } },
    { code: -32022, message: "m", data: { requested: "1", supported: ["2"] } },
  ];
  for (const error of errors) {
    const message = { jsonrpc: "2.0", id: 3, error };
    fixtures.push({
      name: `error ${error.code}`,
      message,
      sender: "server",
      requestMethod: "tools/call",
    });
  }
  return fixtures;
}
