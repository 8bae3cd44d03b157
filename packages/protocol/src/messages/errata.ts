import type { Revision } from "../revisions/revision.ts";
import { REVISIONS } from "../revisions/revisions.ts";

/** A place where our message schemas differ from MCP's published `schema.json` on purpose. */
export interface Erratum {
  readonly id: string;
  /** The revisions that it applies to. */
  readonly versions: readonly string[];
  /** How we handle messages that `schema.json` checks differently. */
  readonly effect: "accepted" | "refused";
  readonly reason: string;
}

const versionsOf = (revisions: readonly Revision[]): readonly string[] =>
  revisions.map(({ version }) => version);
const ALL = versionsOf(REVISIONS);
const ELICITING = ALL.filter((version) => version >= "2025-06-18");
const LEGACY = versionsOf(REVISIONS.filter(({ handshake }) => handshake));
const MODERN = versionsOf(REVISIONS.filter(({ handshake }) => !handshake));

/**
 * All places where our message schemas differ on purpose. For what they leave open by design, such as extension
 * methods, see `judgeMessage`.
 */
export const ERRATA: readonly Erratum[] = [
  {
    id: "elicited-number",
    versions: ELICITING,
    effect: "accepted",
    reason:
      "ElicitResult.content holds `integer` in schema.json, but `number` in the specification's schema.ts, and NumberSchema may ask for one.",
  },
  {
    id: "json-value",
    versions: MODERN,
    effect: "accepted",
    reason:
      "JSONValue leaves out null and numbers with a fraction in schema.json; in schema.ts it is any JSON value.",
  },
  {
    id: "boolean-subschema",
    versions: LEGACY,
    effect: "accepted",
    reason:
      "The properties of a tool's schema must be objects in schema.json; true and false are schemas, too (JSON Schema 2020-12 Core, section 4.3.2), and generators write them.",
  },
  {
    id: "null-error-id",
    versions: ALL,
    effect: "accepted",
    reason:
      "The id of an error is null if the request's could not be read (JSON-RPC 2.0, section 5); schema.json has strings and integers only.",
  },
  {
    id: "uncached-resource",
    versions: MODERN,
    effect: "accepted",
    reason:
      "ReadResourceResult requires ttlMs and cacheScope in schema.json, and an official example of a response has neither.",
  },
  {
    id: "any-result-asks-for-input",
    versions: MODERN,
    effect: "refused",
    reason:
      "Answers to tools/call, prompts/get and resources/read may be an InputRequiredResult, which requires only `resultType` in schema.json and so fits every result; we go by the value of `resultType`.",
  },
  {
    id: "base64",
    versions: ALL,
    effect: "refused",
    reason:
      "The data of images and audio and the blob of resources is base64 (`@format byte` in schema.ts; RFC 4648, sections 3 and 4); in schema.json the format is an annotation.",
  },
  {
    id: "completion-values",
    versions: LEGACY,
    effect: "refused",
    reason:
      "A completion has at most 100 values (Completion, Completion Results; schema.ts); schema.json has no maxItems before 2026-07-28.",
  },
  {
    id: "empty-input-request",
    versions: MODERN,
    effect: "refused",
    reason:
      "An input_required result must have inputRequests or requestState, and is not a final result (Multi Round-Trip Requests, Server Requirements); schema.json requires neither and lets structuredContent pass.",
  },
  {
    id: "ids-by-kind",
    versions: ALL,
    effect: "refused",
    reason:
      "Requests must have an id and notifications must have none (Base Protocol, Messages); in schema.json a request without its id is a notification of the same method.",
  },
  {
    id: "empty-batch",
    versions: ["2025-03-26"],
    effect: "refused",
    reason: "An empty array is not a batch (JSON-RPC 2.0, section 6); schema.json accepts it.",
  },
  {
    id: "no-server-requests",
    versions: MODERN,
    effect: "refused",
    reason:
      "A server must not send requests (Transports; SEP-2322); in schema.json any method makes a JSONRPCRequest.",
  },
];
