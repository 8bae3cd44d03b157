// Sends one case through a checker, and classifies what happened to its last message.
import { bytesOf } from "./cases.mjs";
import { member } from "./json.mjs";
import { idText, messageOf, until } from "./messages.mjs";
import { compared, errorOf, isChangedToError, isRefusal } from "./outcomes.mjs";
import { usualResponse } from "./server.mjs";
import { isRequest, isResponseText, methodsOf } from "./steps.mjs";

/** Maximum time for a message, in milliseconds; after the sentinel has returned, missing messages get `GRACE` more. */
const LIMIT = 4_000;
const GRACE = { response: 700, none: 700 };
/** Delay before the sentinel is sent, since most messages arrive before: those with a response, and others. */
const PATIENCE = { response: 400, none: 60 };

/** Methods that a gateway may send by itself. */
const HOUSEKEEPING = new Set([
  "initialize",
  "notifications/initialized",
  "server/discover",
  "tools/list",
  "ping",
  "logging/setLevel",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "subscriptions/listen",
]);

const limitOf = ({ limit = LIMIT }) => limit;

let sentinels = 0;

/** Sends a call that must be answered, so that a message that has not arrived by then is known to be missing. */
async function sentinel(session, ms = limitOf(session)) {
  const { client, revision, prefix = "" } = session;
  sentinels += 1;
  const id = `"sentinel-${sentinels}"`;
  const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{$META"name":"${prefix}sentinel","arguments":{}}}`;
  client.send(bytesOf(text, revision));
  const back = () => client.inbox.messages.find((one) => one.id === id && !one.method);
  return orEnded(session, back, ms);
}

/** Waits for a message in either direction, or the end of the client's connection. */
async function orEnded({ client, server }, found, ms) {
  const ENDED = {};
  const isOver = () => (client.ended || client.failed ? ENDED : undefined);
  const value = await until([client.inbox, server.inbox], () => found() ?? isOver(), ms);
  return value === ENDED ? undefined : value;
}

/** Returns whether a session forwards a valid call and its result. */
export async function isWorking(session) {
  const response = await sentinel(session, 20_000);
  return (
    Boolean(response) && /"done"/.test(response.text) && !/"isError"\s*:\s*true/.test(response.text)
  );
}

/** Renames the tools of a message for a gateway that gives them a prefix. */
function renamed(text, { prefix }) {
  if (!prefix) return text;
  return text.replace(
    /("method"\s*:\s*"tools\/call".*?"params"\s*:\s*\{(?:\$META)?\s*"name"\s*:\s*")/s,
    `$1${prefix}`,
  );
}

/**
 * Runs a case in an open session.
 * @returns `{kind, detail}`: kind is blocked, forwarded, lost, hung, ended, or not reached if an earlier message of
 * the case did not arrive; `isBroken` if the session cannot be used further
 */
export async function runCase(entry, session) {
  const { client, server, revision } = session;
  const steps = entry.exchange;
  const from = { client: client.inbox.messages.length, server: server.inbox.messages.length };
  const state = { call: undefined, index: 0 };
  const listed = entry.exchange[0].text.includes('"tools/list"') && steps.length > 1;

  server.take = (message) => {
    if (message.text.includes('"sentinel-') || /"sentinel"/.test(message.text)) return false;
    if (listed && message.method === "tools/list") {
      const text = bytesOf(steps[1].text, revision, { id: message.id });
      message.link.write(text, true);
      return true;
    }
    const step = steps[state.index];
    if (step?.from !== "client" || !isArrival(message, step.text)) return false;
    message.isOfCase = true;
    if (message.method !== undefined && message.id !== undefined) state.call = message;
    // The last message gets the usual response; an earlier message gets the next step as its response.
    const next = steps[state.index + 1];
    if (next === undefined || next.from === "client") return false;
    return message.method !== undefined;
  };

  try {
    for (const [index, step] of steps.entries()) {
      state.index = index;
      const isLast = index === steps.length - 1;
      const outcome =
        step.from === "client"
          ? await clientStep({
              entry,
              session,
              step,
              isLast,
              from,
              state,
              listed: listed && index === 0,
            })
          : await serverStep({
              entry,
              session,
              step,
              isLast,
              from,
              state,
              listed: listed && index === 1,
            });
      if (outcome !== undefined) return outcome;
    }
    throw new Error(`${entry.key}: no message in the case`);
  } finally {
    server.take = undefined;
  }
}

/** Returns whether a message at the server is the one that a step of the client sends. */
function isArrival(message, text) {
  const methods = methodsOf(text);
  if (message.method === undefined) return true;
  return (
    methods.includes(message.method) || (methods.length === 0 && !HOUSEKEEPING.has(message.method))
  );
}

async function clientStep({ session, step, isLast, from, state, listed }) {
  const { client, server, revision } = session;
  const asked = client.inbox.messages.slice(from.client).findLast((one) => one.method && one.id);
  const text = renamed(step.text, session);
  const sent = bytesOf(text, revision, { id: asked?.id });
  if (isRequest(step.text)) {
    const { id: ownId, value } = messageOf(sent);
    state.id = ownId;
    state.token = idText(member(member(member(value, "params"), "_meta"), "progressToken"));
  }
  const before = { client: client.inbox.messages.length, server: server.inbox.messages.length };
  client.send(sent);
  const arrived = () =>
    server.inbox.messages
      .slice(before.server)
      .find((one) => one.isOfCase || (listed && one.method === "tools/list"));
  const id = isRequest(step.text) ? messageOf(sent).id : undefined;
  const refused = () =>
    client.inbox.messages
      .slice(before.client)
      .find((one) => !one.method && !/"sentinel-/.test(one.id ?? "") && isRefusal(one, id));
  if (!isLast) {
    if (listed) return undefined;
    const found = await orEnded(session, () => arrived() ?? refused(), limitOf(session));
    return found?.isOfCase ? undefined : unreached(found);
  }
  const original = bytesOf(step.text, revision, { id: asked?.id });
  const responseTo = step.text.includes("$ID") ? asked?.id : undefined;
  const errorAtServer = () =>
    responseTo === undefined
      ? undefined
      : server.inbox.messages
          .slice(before.server)
          .find(
            (one) =>
              member(one.value, "error") !== undefined &&
              one.isOfCase &&
              !original.toString().includes('"error"'),
          );
  const found = await outcomeOf(session, () => arrived() ?? refused(), isRequest(step.text));
  if (found.message === undefined) {
    return { ...missing(isRequest(step.text), found, session), isBroken: !found.works };
  }
  if (errorAtServer()) return { kind: "blocked", detail: errorOf(errorAtServer()) };
  if (found.message.link === undefined) return { kind: "blocked", detail: errorOf(found.message) };
  return compared(original, found.message);
}

async function serverStep({ session, step, isLast, from, state, listed }) {
  const { client, server, revision } = session;
  const { call } = state;
  const before = { client: client.inbox.messages.length, server: server.inbox.messages.length };
  const isReply = isResponseText(step.text);
  const sent = bytesOf(step.text, revision, { id: call?.id, token: call?.token });
  if (!listed) {
    if (call === undefined) return unreached();
    call.link.write(sent, isReply);
    if (isLast && !isReply) call.link.write(usualResponse(call, revision), true);
  }
  const start = listed ? from.client : before.client;
  const own = messageOf(sent);
  const response = () =>
    client.inbox.messages
      .slice(start)
      .find(
        (one) =>
          !one.method && (one.id === state.id || (one.id === "null" && member(one.value, "error"))),
      );
  const same = () =>
    client.inbox.messages
      .slice(start)
      .find((one) =>
        own.method === undefined ? one.bytes.equals(sent) : one.method === own.method,
      );
  const arrived = isReply ? () => response() ?? unreadable(client, start) : same;
  const askedBack = () =>
    own.method && own.id
      ? server.inbox.messages
          .slice(before.server)
          .find((one) => !one.method && one.id === own.id && member(one.value, "error"))
      : undefined;
  if (!isLast) {
    const found = await orEnded(session, () => arrived() ?? askedBack(), limitOf(session));
    return found && found.link === undefined ? undefined : unreached(found);
  }
  const found = await outcomeOf(session, () => arrived() ?? askedBack(), isReply);
  if (found.message === undefined)
    return { ...missing(isReply, found, session), isBroken: isReply || !found.works };
  if (found.message.link !== undefined) return { kind: "blocked", detail: errorOf(found.message) };
  if (isReply && isChangedToError(own, found.message))
    return { kind: "blocked", detail: errorOf(found.message) };
  // A gateway may use different ids and tokens toward the server.
  const expected = bytesOf(step.text, revision, { id: call?.id, token: state.token });
  return compared(expected, found.message, isReply);
}

/**
 * An earlier message of the case did not arrive: either it was refused with an error, or it was lost, which makes the
 * session unusable.
 */
const unreached = (refusal) => ({ kind: "not reached", isBroken: refusal === undefined });

const unreadable = (client, start) =>
  client.inbox.messages.slice(start).find((one) => one.value === undefined);

/** Waits for a message; if it does not arrive, a sentinel shows whether the session still works. */
async function outcomeOf(session, found, isAwaited) {
  const kind = isAwaited ? "response" : "none";
  const soon = await orEnded(session, found, PATIENCE[kind]);
  if (soon) return { message: soon, works: true };
  if (session.client.ended) return { works: false };
  const back = await sentinel(session);
  const message = await orEnded(session, found, back ? (session.grace ?? GRACE)[kind] : 50);
  return { message, works: Boolean(back) };
}

function missing(isAwaited, { works }, { client }) {
  if (client.ended) return { kind: "ended" };
  if (!works) return { kind: "hung", detail: "and the session" };
  return { kind: isAwaited ? "hung" : "lost" };
}
