import type { Endpoint } from "../relay/http/endpoint.ts";
import type { Listener, ListenerOptions } from "../relay/http/listener.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A socket that is listened on, and the rules that it reads for each request. */
export interface Socket {
  readonly listener: Listener;
  readonly rules: Mutable<ListenerOptions>;
}

const NO_ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map();

/** Gives a socket up; the servers behind it go on. */
export async function leave({ listener, rules }: Socket): Promise<void> {
  rules.endpoints = NO_ENDPOINTS;
  await listener.close();
}
