// What both ends need of a message: its bytes, its value and the text of its id.
import { isUtf8 } from "node:buffer";
import { member, parseExact } from "./json.mjs";

/** Values longer than this are compared by their bytes only. */
const LONGEST = 4_000_000;

/** Returns a message that arrived, read once. */
export function messageOf(bytes, more = {}) {
  const text = bytes.toString("utf8");
  const isRead = bytes.length <= LONGEST && isUtf8(bytes);
  const value = isRead ? parseExact(text) : undefined;
  const first = Array.isArray(value) ? value[0] : value;
  const method = member(first, "method");
  return {
    bytes,
    text,
    value,
    method: typeof method === "string" ? method : undefined,
    id: idText(member(first, "id")),
    ...more,
  };
}

/** Returns the text of an id as it was written; undefined if there is none. */
export function idText(id) {
  if (id === undefined) return undefined;
  return typeof id === "object" && id !== null ? String(id.text ?? "object") : JSON.stringify(id);
}

const ID = /"id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+|null)/;

/** Returns a message with the first id in it replaced; its bytes need not be UTF-8. */
export function withId(bytes, id) {
  const shown = Buffer.from(`"id":${id}`).toString("latin1");
  return Buffer.from(
    bytes.toString("latin1").replace(ID, () => shown),
    "latin1",
  );
}

/** Keeps what has arrived, and wakes the waiting callers. */
export class Inbox {
  messages = [];
  checks = new Set();

  add(message) {
    this.messages.push(message);
    this.wake();
  }

  wake() {
    for (const check of this.checks) check();
  }
}

/**
 * Waits for a condition about what has arrived in some inboxes.
 * @returns the first value of `found` that is not undefined; undefined after `ms`
 */
export function until(inboxes, found, ms) {
  return new Promise((resolve) => {
    const end = (value) => {
      clearTimeout(timer);
      for (const { checks } of inboxes) checks.delete(check);
      resolve(value);
    };
    const check = () => {
      const value = found();
      if (value !== undefined) end(value);
    };
    const timer = setTimeout(end, ms);
    for (const { checks } of inboxes) checks.add(check);
    check();
  });
}

/** Splits a stream into lines, as bytes without the line feed. */
export function onLines(stream, line) {
  let parts = [];
  stream.on("data", (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line(Buffer.concat([...parts, rest.subarray(0, end)]));
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  });
}
