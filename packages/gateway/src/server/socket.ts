import type { Listener, ListenerOptions } from "../transport/http/listener.ts";
import { MOVED } from "../transport/http/routes.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A socket that is listened on, and the rules that it reads for each request. */
export interface Socket {
  readonly listener: Listener;
  readonly rules: Mutable<ListenerOptions>;
}

/** Gives a socket up, once what is under way on it is answered; the servers behind it go on. */
export async function leave({ listener, rules }: Socket, signal: AbortSignal): Promise<void> {
  rules.leaving = MOVED;
  await listener.leave(signal);
}
