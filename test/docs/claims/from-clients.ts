import type { Claims } from "./read.ts";

/** The tests of each row of `threats-from-clients.md`. */
export const fromClients: Claims = {
  "send arguments that break the schema": [
    "pipeline/from-client.test.ts > in %s: %s",
    "pipeline/response-text.test.ts > is the text that the client receives, without values of the payload",
  ],
  "send broken JSON, batches where": [
    "pipeline/messages.test.ts > that is not JSON is blocked in %s",
    "pipeline/messages.test.ts > a client's message that breaks JSON-RPC",
    "relay/http/legacy-session.test.ts > answers the invalid items of a batch itself, and the server the rest",
  ],
  "send an object with millions of keys": [
    "pipeline/key-limits.test.ts > blocks a message with too many keys in strict if %s",
    "pipeline/key-limits.test.ts > refuses a message in %s whose own objects have too many keys to be read",
  ],
  "hide a message inside another one": [
    "relay/stdio/carriage-return.test.ts > is not seen as a message by the server",
    "relay/stdio/carriage-return.test.ts > is not seen as a message by the client",
  ],
  "declare an encoding or charset": [
    "relay/http/foreign-body.test.ts > refuses a body in another encoding: %j",
    "server/listener.test.ts > refuse the content type %j",
  ],
  "call a tool that is not listed": [
    "pipeline/unknown-schemas.test.ts > is answered as an unknown tool in strict, after the list was fetched again",
    "pipeline/unknown-schemas.test.ts > is forwarded in warn, with a record",
  ],
  "name a method almost as": [
    "protocol/src/judge/similar-names.test.ts > reports a method name with %s",
    "protocol/src/judge/similar-names.test.ts > reports a second method named %j",
  ],
  "send a malformed call, or one before": [
    "pipeline/unknown-schemas.test.ts > sends no tools/list, and does not leave other calls unchecked: %s",
    "pipeline/unknown-schemas.test.ts > is blocked in strict, with the reason and what to do: %s",
    "pipeline/learning.test.ts > sends its own _meta on 2026-07-28, and nothing of the client's",
  ],
  "call a tool with a path or URL": [
    "core/src/keywords/within.test.ts > does not match a text that %s: %j",
    "core/src/keywords/hosts.test.ts > does not match a text that %s: %j",
    "pipeline/narrow.test.ts > is never forwarded with %s",
    "features/narrow/narrow.test.ts > a name that resembles one in the policy",
  ],
  "call a harmful tool with valid": [
    "pipeline/allow.test.ts > is answered exactly like a call of a tool that does not exist",
    "allowed-tools.test.ts > lists and calls only the tools of %s that policy allows",
  ],
  "spell the name of a tool that policy": [
    "pipeline/allow.test.ts > is never called: %s",
    "pipeline/allow.test.ts > is never called through a header that names another tool",
    "features/tool-lists/decide.test.ts > that is denied stays denied if its name has %s",
  ],
  "send a batch of costly calls": [
    "time-slice.test.ts > shares one slice per turn among all senders, in order of request",
    "time-slice.test.ts > lets %s go before a sender that has used a lot",
    "records/src/record-builder.test.ts > keeps the order of appends, also if a short one follows a long one",
    "relay/http/legacy-session.test.ts > forwards a batch whose checks and records take many turns whole and in order",
    "pipeline/narrow.test.ts > is checked on a thread if that takes long, and no cancellation overtakes it",
  ],
  "send an id, a progress token": [
    "protocol/src/long-ids.test.ts > is refused beyond it, however it is read: %s",
    "pipeline/long-ids.test.ts > a client's %s with a long id is refused with a record",
    "pipeline/long-ids.test.ts > a server's %s with a long id goes nowhere, with a record",
  ],
  "send a name of a tool, an argument": [
    "core/src/text/fold.test.ts > is checked before anything is done to the text: as %s",
    "core/src/json/long-keys.test.ts > does not check a key of more than 1,024 bytes, but a shorter one",
    "protocol/src/read.test.ts > is read whole up to 16,384 characters, whatever their bytes",
    "pipeline/long-names.test.ts > is refused if %s is set, listed or not",
    "pipeline/rate.test.ts > counts for the limit of the %s in %s, protocol %s",
    "protocol/src/judge/similar-names.test.ts > reports a member whose name is too long to be compared: %s",
  ],
  "send thousands of such names": [
    "pipeline/long-names.test.ts > are refused if there are more than 1,048,576 characters of them",
    "pipeline/long-names.test.ts > fold a bounded number of characters, and are refused: %s",
  ],
  "send a URL that is costly": [
    "core/src/keywords/hosts.test.ts > is decided before anything parses or normalizes the text: %s",
  ],
  "send a body in pieces of one byte": [
    "byte-pieces.test.ts > store single bytes in few parts",
    "transport/http/body.test.ts > stores a body that exceeds its limit in few parts",
  ],
  "send slowly, send huge headers": [
    "server/limits.test.ts > is disconnected with 408 if its header never ends",
    "server/limits.test.ts > is disconnected if it sends nothing, or nothing more",
    "server/limits.test.ts > gets 431 for a header over 16 KiB",
  ],
  "begin many large bodies": [
    "transport/http/unfinished-bodies.test.ts > gets 503 beyond its caller's share, while other callers work",
    "transport/http/unfinished-bodies.test.ts > share one bound, over all that reads bodies, and small ones of others still pass",
    "transport/http/unfinished-bodies.test.ts > gets 408 and the end of the connection if it %s",
    "cli/src/serve/memory.test.ts > stays under 512 MiB with 100 unfinished bodies, while another caller works",
  ],
  "send many requests on one connection": [
    "server/in-turn.test.ts > begin ten at a time if they are answered at once, with other work in between",
    "server/in-turn.test.ts > close the connection if there are too many, also if they are answered at once",
  ],
  "send large calls while the server": [
    "relay/http/held-calls.test.ts > rejects calls that wait for the tool list beyond 64 MiB: %s",
  ],
  "open thousands of sessions": [
    "server/limits.test.ts > applies to all servers together, and a session over it is refused and recorded",
    "relay/http/legacy-session.test.ts > has its own process until DELETE, and their number is limited",
  ],
  "read slowly, or not at all": [
    "relay/http/unread.test.ts > limits what it stores for a session's server that reads nothing",
    "relay/http/room.test.ts > drops an unread stream that delays a session's other messages",
    "relay/backlog.test.ts > pauses the source at a number of messages or bytes, once for all readers",
    "http/src/write-response.test.ts > that reads nothing is disconnected",
  ],
  "name the request twice": [
    "relay/http/modern-requests.test.ts > is refused in every mode: another %s",
  ],
  "refer to another client's request": [
    "relay/http/modern-requests.test.ts > is refused in every mode: %s",
    "relay/http/modern-requests.test.ts > does not let one client cancel another's request",
  ],
  "use another session's id": [
    "relay/http/legacy-session.test.ts > has a random id, of which records and logs have only the hash",
    "server/callers.test.ts > belongs to its caller under any of its keys, and others cannot find it",
    "server/callers.test.ts > has its caller in every record",
  ],
  "use another caller's task": [
    "server/callers.test.ts > belongs to its caller in sessions with a remote server",
    "server/callers.test.ts > belongs to its caller without sessions",
    "server/callers.test.ts > a stream can be resumed only by the session that received its events",
  ],
  "use a server that is not in its key": [
    "server/callers.test.ts > is answered by %s %s as if it did not exist",
    "server/callers.test.ts > is in none of its lists",
  ],
  "forge a token": [
    "server/access/tokens.test.ts > is refused: %s",
    "server/access/tokens.test.ts > is not accepted in the query, in X-API-Key, or together with a wrong key",
  ],
  "use a token that has expired": [
    "server/access/tokens.test.ts > is refused: %s",
    "server/access/tokens.test.ts > for another server is refused there, and that server is in no list",
    "server/access/tokens.test.ts > ends a stream only when it expires, and a new one continues the caller's sessions",
  ],
  "get a token sent to a server": [
    "server/access/tokens.test.ts > is never sent to a server, and the server's challenge never reaches a client",
  ],
  "make the gateway fetch keys": [
    "server/access/tokens.test.ts > are fetched again for an unknown key, at most once a minute",
  ],
  "call tools without end": [
    "server/callers.test.ts > a caller's calls are counted over all routes, servers and keys",
    "pipeline/rate.test.ts > are counted per tool, server and gateway, and the smallest limit applies",
    "pipeline/rate.test.ts > counts for the limit of the %s in %s, protocol %s",
    "pipeline/result-size.test.ts > is measured by the smallest limit: that of %s",
  ],
  "read records, change settings or approve": [
    "server/callers.test.ts > $method $path is allowed to the right roles",
    "server/callers.test.ts > are all covered",
  ],
  "send tests of alerts to an address": [
    "server/alerts/alerts-api.test.ts > reaches a webhook marked and signed, and is shown without the URL's path",
    "server/alerts/alerts-api.test.ts > reports %s after one attempt",
    "server/alerts/alerts-api.test.ts > needs the role admin, an id of the list, and at most six within a minute",
  ],
  "have its key sent to a server": [
    "server/callers.test.ts > a key is never sent to a server, not even with forward_authorization or in another header form",
  ],
  "find a path without a guard": [
    "server/access/keys.test.ts > is decided for every route",
    "server/access/keys.test.ts > answers no preflight from a foreign origin",
  ],
  "send somebody a link of the playground": [
    "console/src/playground/playground.test.ts > answers what is hostile: %s",
    "console/src/playground/playground.test.ts > has the same policy in its page and in the response, and sends nothing",
    "console/src/playground/playground.test.ts > answers clicks while its worker is busy, ends it at the limit, and starts another",
    "console/src/playground/answer/answer.test.ts > is refused if it holds %s",
  ],
  "guess the API key": [
    "server/rejected-requests.test.ts > is logged and recorded: %s /%s %j",
    "server/rejected-requests.test.ts > are only counted after the first ones, until the next window",
  ],
  "ask for another server's secrets": [
    "relay/http/forward-authorization.test.ts > keeps configured credentials",
    "relay/http/forward-authorization.test.ts > %s, sends no Authorization, and says why no client can log in",
  ],
  "Load is counted by credentials": [
    "time-slice.test.ts > lets %s go before a sender that has used a lot",
    "transport/http/unfinished-bodies.test.ts > is found: %s",
  ],
  "lead a browser to a sign-in that ends": [
    "server/sign-in/oidc/oidc.test.ts > is not %j",
    "server/sign-in/oidc/oidc.test.ts > is the first of several, or none, only by its own rules",
  ],
  "have a victim's browser finish": [
    "server/sign-in/oidc/oidc.test.ts > without a cookie is not signed in",
    "server/sign-in/oidc/oidc.test.ts > with the cookie of a sign-in of its own is not signed in as somebody else (login CSRF)",
    "server/sign-in/oidc/oidc.test.ts > is not signed in if the state is %s",
    "server/sign-in/oidc/oidc.test.ts > is not signed in by a cookie that somebody changed, or by two",
  ],
  "use a response again": [
    "server/sign-in/oidc/oidc.test.ts > is not signed in by a response that was used, with the cookie of before",
    "server/sign-in/oidc/oidc.test.ts > without a cookie is not signed in",
  ],
  "run one of several providers": [
    "server/sign-in/oidc/oidc.test.ts > is refused if one's response comes to the other's address",
    "server/sign-in/oidc/oidc.test.ts > is refused if the response names %s (RFC 9207)",
  ],
  "put in an ID token of their own": ["server/sign-in/oidc/oidc.test.ts > %s signs nobody in"],
  "send requests of the gateway elsewhere": [
    "server/sign-in/oidc/oidc.test.ts > %s begins no sign-in, and asks nobody else",
    "server/sign-in/oidc/oidc.test.ts > cannot lead %s to %s",
  ],
  "respond with megabytes or not at all": [
    "server/sign-in/oidc/oidc.test.ts > %s signs nobody in",
    "server/sign-in/oidc/oidc.test.ts > leads back to the sign-in page",
    "server/sign-in/oidc/oidc.test.ts > is asked again after some seconds only",
    "server/sign-in/oidc/oidc.test.ts > does not affect others",
  ],
  "get hostile text shown": [
    "server/sign-in/oidc/oidc.test.ts > that is an error is shown escaped and cut, after its state",
  ],
  "name a group like a member of an object": [
    "server/sign-in/oidc/claims.test.ts > give the highest role, and none by a name of every object",
    "server/sign-in/oidc/claims.test.ts > are bounded, and those with a role stay",
  ],
  "stay signed in after the group": [
    "server/sign-in/oidc/oidc.test.ts > ends a session at once if %s",
  ],
};
