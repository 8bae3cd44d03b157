import { useSyncExternalStore } from "react";

/** How often what says "how long ago" is told of the time, in milliseconds. */
const TICK_MS = 10_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, which goes on every 10 seconds: one clock for all that is shown. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
