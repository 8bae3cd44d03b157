import type { Claims } from "./read.ts";

/** The tests of each row of `threats-from-servers.md`. */
export const fromServers: Claims = {
  "declare a huge, deep or cyclic schema": [
    "core/src/document/hostile.test.ts > schemas that are refused early with a reason",
    "core/src/document/hostile.test.ts > handles a schema 100,000 deep, and a value 1,000,000 deep",
    "pipeline/schemas.test.ts > by default blocks in strict as an input schema only: %s",
  ],
  "declare patterns that take exponential time": [
    "core/src/engine/pattern/hostile.test.ts > runs %s in linear time",
    "core/src/engine/pattern/hostile.test.ts > stops %s, which has no linear form, at its budget",
    "policy/decide.test.ts > treats a check over its budget differently from a payload over a limit",
  ],
  "cause a thousand errors": ["core/src/document/hostile.test.ts > hostile schemas and values"],
  "name properties `__proto__`": [
    "core/src/json/parse.test.ts > keeps __proto__ as an own property, and lone surrogates unchanged",
    "core/src/document/build.test.ts > handles names without percent-encoding, and names of prototypes",
  ],
  "point `$ref` at a file or URL": [
    "document/references.test.ts > refuses %s",
    "pipeline/schemas.test.ts > by default blocks in strict if it refers to another document: %s",
  ],
  "list thousands of tools": [
    "contracts/contract-source.test.ts > reads a long list in slices, and marks it stale if it changes meanwhile",
    "contracts/contract-source.test.ts > parses a list once that many sessions get in the same bytes",
  ],
  "list millions of tools": [
    "contracts/tools-page.test.ts > stops reading a page with too many entries of %s",
    "contracts/contract-source.test.ts > reads as many tools as limits.tools allows: %s",
    "server/tools-api/tool-list.test.ts > is cut at a page with too many entries of %s, and that is logged once",
  ],
  "declare a schema of megabytes": [
    "contracts/large-schema.test.ts > keeps a note of a schema of %i bytes, in steps",
    "contracts/large-schema.test.ts > cannot be checked by a note, and says why",
    "server/admin/contract-faults.test.ts > finds the same on a thread as reading it here, and reads it once: %s",
  ],
  "list a tool whose name is costly": [
    "pipeline/long-names.test.ts > is left out of the list, with a record, in %s",
  ],
  "name a member of its introduction": [
    "gateway/src/pins.test.ts > cannot be told from a member with a name of %s, which is removed",
  ],
  "hide instructions to the model": [
    "features/adapt/adapt.test.ts > cuts descriptions, and removes hidden characters from all texts that models read",
    "features/adapt/adapt.test.ts > leaves a tool of more than 1 MiB as it is, and reports it: %s",
  ],
  "declare a tool of megabytes": [
    "protocol/src/tool-checks/lock/definition.test.ts > is the same in steps of %d bytes",
    "protocol/src/tool-checks/lock/definition.test.ts > comes without the text if that is longer than asked for",
    "core/src/json/canonical.property.test.ts > are as many as a text has bytes to look at: %s",
  ],
  "declare a schema that is costly to rewrite": [
    "features/adapt/hostile.test.ts > reads a tool of megabytes in many steps",
    "features/adapt/adapt.test.ts > stops rewriting at the limit, even within a tool, and resumes with the next list",
  ],
  "have its structured content become text": [
    "pipeline/mirror-content.test.ts > gets a text block with its own bytes, all others unchanged, in %s",
    "pipeline/mirror-content.test.ts > stays unchanged if it %s",
    "pipeline/mirror-content.test.ts > stays unchanged if its message is very long, and the record says so",
  ],
  "give a tool a name that is the short": [
    "gateway/src/contracts/short-names.test.ts > never gives one tool the name of another",
  ],
  "hide a tool from the lists of `policy`": [
    "pipeline/list-view.test.ts > is blocked if policy is strict: %s",
    "pipeline/list-view.test.ts > stops after twice as many entries as allowed if a step is strict",
  ],
  "claim `readOnlyHint: true`": [],
  "change a tool's schema between calls": [
    "pipeline/learning.test.ts > leaves a pending call the contract that it began with",
    "pipeline/learning.test.ts > has its changed, new and removed tools reported",
  ],
  "change the texts or schemas of an approved": [
    "gateway/src/pins.test.ts > blocks a changed tool until it is approved, and again when the approval is withdrawn",
    "gateway/src/pins.test.ts > warns about a changed tool, and forwards the call",
  ],
  "change its `instructions` after": [
    "gateway/src/pins.test.ts > are removed once they change, and no other byte is changed",
    "gateway/src/pins.test.ts > cannot be told from a member with a name of %s, which is removed",
  ],
  "list nothing that can be read": [
    "gateway/src/pins.test.ts > refuses unlisted tools, and tools that it cannot look up, in every mode",
  ],
  "declare a different version of a tool": [
    "records/src/pins.test.ts > forget the longest held definition, and never a decided one",
  ],
  "return something other than when": [],
  "hide characters in a description": [
    "cli/src/approve/approve.test.ts > lists held and changed definitions, approves them, and revokes the approval",
    "protocol/src/tool-checks/lock/definition-diff.test.ts > shows an invisible character: %j",
  ],
  "send a key twice": [
    "pipeline/messages.test.ts > blocks a list if an item has a duplicate key: %s",
    "pipeline.property.test.ts > for any messages from both sides, nothing throws and every request is answered (%s)",
  ],
  "return structured content that is not an object": [
    "pipeline/message-schemas.test.ts > are a protocol fault even if the tool's schema accepts them: %s, %s",
  ],
  "hide an issue in a very large message": [
    "protocol/src/judge/reduced-value.test.ts > is examined except for the inside of structured content",
    "pipeline/message-schemas.test.ts > does not hide a fault next to long data: %s",
  ],
  "send something other than base64": [
    "core/src/json/base64.test.ts > accepts valid base64 of any length, and rejects any single wrong byte",
    "protocol/src/judge/reduced-value.test.ts > says that a string is not base64",
  ],
  "name a member almost as the protocol": [
    "protocol/src/judge/similar-names.test.ts > reports second structured content named %j",
    "protocol/src/judge/similar-names.test.ts > reports a name with escaped letters, even after large members",
  ],
  "declare a result to be a request for input": [
    "pipeline/tasks.test.ts > cannot skip the check by asking for input in its result",
  ],
  "request elicitation, sampling or roots": [
    "protocol/src/conversation/conversation.test.ts > report nothing if earlier messages were not seen",
    "pipeline/rules.test.ts > is answered in strict if it asks for input that the client has not declared, in %s",
    "pipeline/rules.test.ts > is blocked in strict as a result of a kind that was not requested: %s, %s",
  ],
  "respond to unknown ids, respond twice": [
    "pipeline/unasked.test.ts > is blocked if its request was already answered, except on a resumed stream",
    "pipeline/unasked.test.ts > is blocked in strict and recorded, because the client may be about to ask",
    "pipeline/unasked.test.ts > is forwarded unchanged and recorded in warn",
    "relay/http/unasked.test.ts > are blocked on the server's stream, and become an error on a resumed one",
  ],
  "do so on a stream that a client resumes": [
    "relay/http/answered-again.test.ts > is checked by the call's contract again",
    "fleet/resumed-streams.test.ts > checks the response by the call's contract and records it once",
  ],
  "guess an id of the gateway's own": [
    "relay/own-requests.test.ts > use ids that no other link uses",
  ],
  "respond with an id that only looks": [
    "pipeline/messages.test.ts > are blocked in strict (protocol %s)",
    "pipeline/messages.test.ts > drops a response with a look-alike id to a canceled call",
    "relay/http/unasked.test.ts > are blocked %s, but checked if a client would take them for its own",
    "relay/http/odd-ids.test.ts > has its response replaced by an error with the exact id in strict (%s)",
  ],
  "send an error or result without an id": [
    "pipeline/unmatched.test.ts > ends the only pending request, in %s: %s",
    "pipeline/unmatched.test.ts > is dropped in %s",
  ],
  "return a result as that of a task": [
    "pipeline/tasks.test.ts > has its result checked by the contract of its call",
    "pipeline/tasks.test.ts > cannot reuse the id of a task that is not fetched yet: of %s for %s",
    "pipeline/tasks.test.ts > has its result blocked in strict, even if only one tool is strict: %s in %s",
  ],
  "send a frame without an end": [
    "transport/stdio/lines.test.ts > reports the ends and size of an oversize line, and continues after it",
    "relay/stdio/client.test.ts > from the server causes an error with its id and a record, but not at exactly the limit",
  ],
  "hide a message in a comment": [
    "relay/http/odd-breaks-relayed.test.ts > withholds a message that only some clients would see: %s",
  ],
  "print log lines to stdout": [
    "relay/stdio/client.test.ts > %s on stdout is logged and not forwarded, and calls are answered",
  ],
  "print text and messages on one line": [
    "relay/stdio/server-lines.test.ts > %s: forwards whole messages in warn, and sends errors in strict",
    "relay/stdio/server-lines.test.ts > is blocked in strict, with an error for its id",
  ],
  "crash, hang, or close its stdin": [
    "relay/stdio/client.test.ts > during a call (%s) has the call answered and recorded once",
    "relay/stdio/client.test.ts > by closing its %s is ended, and each call is answered and recorded once",
    "transport/stdio/child-limits.test.ts > restarts a crashing server with growing delays until it has run for a minute",
    "call-timeout.test.ts > responds in a session with a silent stdio server",
  ],
  "compress a result so that": [
    "transport/http/content-coding.test.ts > limit the decoded size",
    "transport/http/content-coding.test.ts > is checked, and decoded for the client: %s",
  ],
  "return a result with an HTTP error": [
    "relay/http/error-bodies.test.ts > checks a JSON-RPC error whatever its media type: %s",
    "relay/http/error-bodies.test.ts > checks each response of a batch: %s",
    "relay/http/upstream-link.test.ts > has a response checked that comes with an HTTP error status: %s, %i",
  ],
  "redirect clients to itself": [
    "relay/http/redirects.test.ts > is not forwarded to the client, which would bypass the gateway: %s",
    "relay/http/redirects.test.ts > follows %i only to the same origin",
  ],
  "set cookies, or headers": [
    "server/access/foreign-page.test.ts > drops a server's headers that affect the whole origin",
  ],
  "cause many alerts": [
    "server/alerts/alerts.test.ts > is sent once per interval and rule, even across a reload",
    "server/alerts/alerts.test.ts > that hangs does not delay the caller, fills a bounded queue, and is abandoned on shutdown",
    "server/alerts/alerts.test.ts > for Slack receives text without mentions",
    "server/alerts/alerts.test.ts > gets the record only on stdin, and no secret in its environment",
  ],
  "write markup, control or bidirectional": [
    "page/hostile.test.ts > runs nothing, reveals hidden characters, and does not violate the content security policy",
    "cli/src/program.test.ts > escapes hostile words in errors: %j",
  ],
  "flood its stderr": [
    "transport/stdio/stderr-lines.test.ts > come in order and let others have their turns, however many come at once",
    "transport/stdio/stderr-lines.test.ts > are not read while earlier ones wait, so that nothing piles up",
    "transport/server-log.test.ts > stays within its bounds, whatever comes",
    "server/admin/server-log.test.ts > of a server that floods its stderr is bounded, and calls go on",
  ],
  "write secrets, control or bidirectional": [
    "transport/server-log.test.ts > hides %s",
    "transport/server-log.test.ts > hides a secret %s at any place around the cut",
    "transport/server-log.test.ts > hides a private key that comes line by line, while another process writes",
    "servers/log-view.test.ts > follows live, finds, and shows what is hidden, with the keyboard alone",
  ],
  "write texts in which secrets": [
    "records/src/bodies/named-secrets.test.ts > runs in time linear in the text",
  ],
  "fail on purpose and fill the disk": [],
  "lie in text, in an error result": [],
};
