/** What is known about a difference between two verdicts. */
export interface Seen {
  readonly version: string;
  readonly fixture: string;
  readonly path: string;
  readonly change: string;
  readonly kind: "missed" | "alarm";
}

type ErratumRule = readonly [erratum: string, holds: (seen: Seen) => boolean];

const FREE_OBJECT =
  /(?:apabilities\/(?:experimental|extensions)\/|\/metadata\/|apabilities\/(?:logging|completions|sampling|elicitation)\/)/;

/** The errata with the effect `accepted`, each with a test of whether a difference comes from it. */
const RULES: readonly ErratumRule[] = [
  ["null-error-id", ({ path, change }) => path === "/id" && change === "replaced by null"],
  [
    "boolean-subschema",
    ({ path, change }) =>
      /\/(?:input|output)Schema\/properties\/[^/]+$/.test(path) && change === "replaced by true",
  ],
  [
    "elicited-number",
    ({ path, change }) =>
      /\/content\/[^/]+$/.test(path) && /^(?:fraction|replaced by 1\.5)$/.test(change),
  ],
  [
    "uncached-resource",
    ({ path, change }) => /^\/result\/(?:ttlMs|cacheScope)$/.test(path) && change === "deleted",
  ],
  [
    "json-value",
    ({ version, path, change }) =>
      version >= "2026-07-28" && FREE_OBJECT.test(path) && /null|fraction|1\.5/.test(change),
  ],
];

/** The errata with the effect `refused` that mutations of messages run into. */
const ALARMS: readonly ErratumRule[] = [
  [
    "base64",
    ({ path, change }) =>
      /\/(?:data|blob)$/.test(path) && /^(?:replaced by "|longer text$)/.test(change),
  ],
  [
    "empty-input-request",
    ({ path, change }) =>
      /^\/result\/(?:inputRequests|requestState)$/.test(path) && change === "deleted",
  ],
];

/** The erratum that explains why the official schema and ours judge a message differently. */
export function explainDifference(seen: Seen): string | undefined {
  const rules = seen.kind === "missed" ? RULES : ALARMS;
  return rules.find(([, holds]) => holds(seen))?.[0];
}
