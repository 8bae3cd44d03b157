// What every request has to pass before it gets to the tools: a limiter, then a password.
import { createHash, timingSafeEqual } from "node:crypto";

const MAX_CLIENTS = 10_000;

/** At most `limit` requests a client in each window of `windowMs`. Gives the seconds to wait, or 0. */
export function createLimiter({ limit, windowMs = 60_000, now = Date.now }) {
  let clients = new Map();
  let ends = 0;
  return (client) => {
    if (now() >= ends || clients.size >= MAX_CLIENTS) {
      clients = new Map();
      ends = now() + windowMs;
    }
    const count = (clients.get(client) ?? 0) + 1;
    clients.set(client, count);
    return count > limit ? Math.ceil((ends - now()) / 1000) : 0;
  };
}

const digest = (text) => createHash("sha256").update(text).digest();

/** Gives a response to a request that may not pass, or nothing. Basic, so that browsers ask for it. */
export function createGuard({ user, password, limit }) {
  const wait = createLimiter({ limit });
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`);
  return (client, authorization = "") => {
    const seconds = wait(client);
    if (seconds > 0) {
      const headers = { "retry-after": String(seconds) };
      return { status: 429, headers, body: { error: "Too many requests." } };
    }
    if (timingSafeEqual(digest(authorization), expected)) return undefined;
    const headers = { "www-authenticate": 'Basic realm="tools"' };
    return { status: 401, headers, body: { error: "Unauthorized" } };
  };
}
