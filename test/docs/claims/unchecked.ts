import type { Claims } from "./read.ts";

/** The tests of each line of `what-passes-unchecked.md`. */
export const unchecked: Claims = {
  "the tool list fails, times out": [
    "pipeline/unknown-schemas.test.ts > is blocked in strict, with the reason and what to do: %s",
    "pipeline/unknown-schemas.test.ts > is forwarded in warn, with a record: %s",
    "pipeline/unknown-schemas.test.ts > is used if a later session or process cannot fetch the list",
    "relay/unknown-schemas.test.ts > %s: no request leaves other calls unchecked",
  ],
  "the call comes before the handshake": [
    "pipeline/unknown-schemas.test.ts > is blocked in strict, and forwarded in warn with a record",
    "pipeline/unknown-schemas.test.ts > does not leave the next call unchecked",
  ],
  "the list does not name the tool": [
    "pipeline/unknown-schemas.test.ts > is answered as an unknown tool in strict, after the list was fetched again",
    "pipeline/unknown-schemas.test.ts > is every name of a server %s",
    "pipeline/unknown-schemas.test.ts > is forwarded in warn, with a record",
  ],
  "the list is longer than `limits.tools`": [
    "pipeline/unknown-schemas.test.ts > may still exist if the list is longer than the gateway reads",
  ],
  "the tool's name has more than 1,024": [
    "pipeline/long-names.test.ts > is refused if %s is set, listed or not",
    "pipeline/long-names.test.ts > is forwarded with a record in warn",
  ],
  "the list has changed, and the new one": [
    "contracts/contract-source.test.ts > lets calls wait for a newer list, then checks by the last known one",
    "pipeline/unknown-schemas.test.ts > does not excuse a call from a check by the changed list",
  ],
  "the call's tool name is not a string": ["pipeline/from-client.test.ts > %s is a protocol fault"],
  "a structured result of a task whose": [
    "pipeline/tasks.test.ts > has its result blocked in strict, even if only one tool is strict: %s in %s",
    "pipeline/tasks.test.ts > has its result forwarded otherwise, with a record if it is checked: %s in %s",
  ],
  "the input schema cannot be used": [
    "pipeline/schemas.test.ts > by default blocks in strict as an input schema only: %s",
    "pipeline/schemas.test.ts > blocks what the setting of its direction names",
  ],
  "a schema refers to another document": [
    "pipeline/schemas.test.ts > by default blocks in strict if it refers to another document: %s",
  ],
  "the output schema cannot be used for": [
    "pipeline/schemas.test.ts > by default blocks in strict as an input schema only: %s",
    "pipeline/schemas.test.ts > blocks what the setting of its direction names",
  ],
  "an output schema, but no structured content": [
    "features/structured-content/decide.test.ts > %s with %s: %s",
  ],
  "an error result (`isError: true`)": [
    "pipeline/exemptions.test.ts > is forwarded unchecked in strict, with structured content of another form, in %s",
  ],
  "a task announcement, or a request for input": [
    "pipeline/tasks.test.ts > is forwarded if both sides announced the extension, and its result is checked",
    "pipeline/tasks.test.ts > cannot bypass the check: %s",
  ],
  "two readers understand the message": [
    "pipeline/from-client.test.ts > are checked by the last of two members of the name, and blocked if messages are strict",
  ],
  "the tool declares no schema": [
    "pipeline/learning.test.ts > leaves a tool without schemas unchecked, as it declares nothing",
  ],
  '`on_unknown_schema: "allow"` in both': [
    "pipeline/unknown-schemas.test.ts > is forwarded if every strict direction allows unknown schemas",
  ],
  "too many checks wait for a thread": [
    "pipeline/check-queue.test.ts > are rejected in strict with advice to retry",
    "pipeline/check-queue.test.ts > are forwarded in warn, byte for byte, with a record",
  ],
  "the payload exceeds `max_bytes`": [
    "policy/decide.test.ts > %s in %s, on_invalid_schema %s: %s",
    "policy/decide.test.ts > treats a check over its budget differently from a payload over a limit",
  ],
  "What you allow by settings": [
    "pipeline/exemptions.test.ts > excuse exactly one field",
    "policy/decide.test.ts > can treat a class of issues as a warning, or ignore it",
    "cli/src/pause/pause.test.ts > of %s reports what still blocks, by record, log, API and command",
  ],
  "Beyond calls, a request or notification": [
    "pipeline/open-methods.test.ts > is forwarded and counted as skipped, as is its response: %s %s",
    "pipeline/open-methods.test.ts > counts as skipped if a server's notification has it",
  ],
  "Over stdio, a request without `_meta`": [
    "checkers.test.ts > finds that strict blocks a request that lacks the revision",
  ],
  "A user's response to a form": [
    "gateway/src/elicitation.test.ts > whose request was not seen is forwarded, and recorded as not checked",
    "gateway/src/elicitation.test.ts > of more than 1 MiB whose request was not seen is forwarded without a record",
  ],
  "In sessions of 2024-11-05 and 2025-03-26": [
    "pipeline/rules.test.ts > is recorded and forwarded in every mode if the specification only advises against it",
  ],
};
