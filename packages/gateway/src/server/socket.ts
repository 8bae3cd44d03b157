import type { Listener, ListenerOptions } from "./listener.ts";
import { MOVED_TEXT } from "./mcp-routes.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A listening socket, and the rules that it reads for each request. */
export interface Socket {
  readonly listener: Listener;
  readonly rules: Mutable<ListenerOptions>;
}

/** Closes a socket after its open requests are answered; the servers continue. */
export async function closeSocket({ listener, rules }: Socket, signal: AbortSignal): Promise<void> {
  rules.leaving = MOVED_TEXT;
  await listener.leave(signal);
}
