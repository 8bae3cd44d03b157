import { encodeUtf8 } from "@touchstone/core/advanced";
import { type JudgeOptions, judgeMessage } from "../judge/judge-message.ts";

export const bytes = (value: unknown): Uint8Array => encodeUtf8(JSON.stringify(value));

export const request = (method: string, params?: unknown): Uint8Array =>
  bytes({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });

export const answer = (result: unknown): Uint8Array => bytes({ jsonrpc: "2.0", id: 1, result });

/** Judges a message of a client, by a revision with sessions. */
export const legacy: JudgeOptions = { revision: "2025-11-25", sender: "client" };

/** Judges a response of a server to a request of this method. */
export const fromServer = (requestMethod: string, revision = "2025-11-25"): JudgeOptions => ({
  revision,
  sender: "server",
  requestMethod,
});

/** The place and the keyword of each fault. */
export const faults = (message: Uint8Array, options: JudgeOptions): string[] =>
  judgeMessage(message, options).errors.map(({ path, keyword }) => `${path} ${keyword}`);
