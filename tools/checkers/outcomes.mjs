// Classifies what happened to a message.
import { differences, member } from "./json.mjs";
import { idText, messageOf, withId } from "./messages.mjs";
import { isRequest, isResponseText } from "./steps.mjs";

/** Returns whether a response does not come from the server: an error, an error result, or an HTTP status. */
export function isRefusal(message, id) {
  const isError = member(message.value, "error") !== undefined;
  const isErrorResult = member(member(message.value, "result"), "isError") === true;
  if (message.status >= 400) return true;
  return (
    (isError || isErrorResult) &&
    (id === undefined || message.id === id || message.id === "null" || message.id === undefined)
  );
}

/** Returns whether a response of the server was turned into an error on its way. */
export function isChangedToError(own, message) {
  const result = (one) => member(one.value, "result");
  const theirs = member(message.value, "error");
  if (theirs !== undefined) {
    const ours = member(own.value, "error");
    return idText(member(theirs, "code")) !== idText(member(ours, "code"));
  }
  return member(result(message), "isError") === true && member(result(own), "isError") !== true;
}

/** Returns the text with which a message reports that something was blocked. */
export function errorOf(message) {
  const code = member(member(message.value, "error"), "code");
  if (code !== undefined) return idText(code);
  if (member(member(message.value, "result"), "isError") === true) return "isError";
  return message.status >= 400 ? `HTTP ${message.status}` : "unreadable error";
}

/** Maximum number of places that are listed. */
const MOST = 3;
/** Members that each sender writes about itself. */
const OWN_META = /^\/(?:params|result)\/_meta(?:\/io\.modelcontextprotocol\/| added$)/;

const SAME = new Set(["same bytes", "same JSON"]);

/** Returns how a message that arrived differs from the one that was sent. */
export function compared(sent, arrived, isReply = false) {
  const before = messageOf(sent);
  const renumbered = arrived.id === undefined ? sent : withId(sent, arrived.id);
  if (arrived.bytes.equals(sent) || arrived.bytes.equals(renumbered))
    return { kind: "forwarded", detail: "same bytes" };
  if (before.value === undefined || arrived.value === undefined)
    return { kind: "forwarded", detail: "changed: other bytes" };
  const all = differences(before.value, arrived.value, 100);
  const isOwnId = (place) => place.startsWith("/id:") && (isReply || before.method !== undefined);
  const found = all.filter((place) => !isOwnId(place) && !OWN_META.test(place));
  // A program between client and server is also a client and a server, with a different name.
  const own = all.some((place) => OWN_META.test(place)) ? ["its own _meta"] : [];
  if (found.length + own.length === 0) return { kind: "forwarded", detail: "same JSON" };
  if (found.every((place) => place.endsWith(" added"))) {
    const places = [...found.slice(0, MOST).map((place) => place.replace(/ added$/, "")), ...own];
    return { kind: "forwarded", detail: `added: ${places.join("; ")}` };
  }
  // What was changed or removed counts more than what was added.
  const isAdded = (place) => Number(place.endsWith(" added"));
  const places = found.toSorted((one, other) => isAdded(one) - isAdded(other)).slice(0, MOST);
  return { kind: "forwarded", detail: `changed: ${places.join("; ")}` };
}

/**
 * Returns whether an outcome is the right one for a case; a message without a response is blocked if it is not
 * forwarded.
 */
export function isRight(entry, { kind, detail = "" }, right = entry.right) {
  if (right === "forwarded") return kind === "forwarded" && SAME.has(detail);
  const last = entry.exchange.at(-1);
  const isUnanswered = last.from === "client" ? !isRequest(last.text) : !isResponseText(last.text);
  if (kind === "lost") return isUnanswered;
  return kind === "blocked" && (entry.with === undefined || String(entry.with) === detail);
}
