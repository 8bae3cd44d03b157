import type { DriftFinding, Unsure } from "../../../drift/finding.ts";
import type { DriftReport } from "../../../drift/report.ts";
import { count, flag, type Json, list, members, moment, oneOf, ref, text } from "./parts.ts";

const KINDS: Readonly<Record<DriftFinding["kind"], true>> = {
  never_came: true,
  sometimes_missing: true,
  undeclared: true,
  unnamed: true,
  other_type: true,
  other_value: true,
};
const UNSURE: Readonly<Record<Unsure, true>> = {
  parts: true,
  values: true,
  items: true,
  names: true,
  depth: true,
};

/** The schemas of what `/api/v1/activity/drift` answers, by name. */
export const DRIFT_SCHEMAS: Readonly<Record<string, Json>> = {
  Drift: members<DriftReport>({
    server: text(),
    tool: text(),
    schema_hash: text("sha256: and a hex digest, of the output schema."),
    since: moment("When the first of the results was added."),
    until: moment("When the last one was."),
    results: count("Results that were looked at."),
    refused: count("Of these, how many the schema refused."),
    partial: { ...flag, description: "Branches, conditions and patterns were not compared." },
    findings: list(ref("DriftFinding")),
    proposed: { description: "The schema, true and false among them, with what came put in." },
    proposed_fits: { ...flag, description: "Whether it is known to take all that came." },
    proposed_unsure: list(oneOf(Object.keys(UNSURE))),
  }),
  DriftFinding: members<DriftFinding>(
    {
      kind: oneOf(Object.keys(KINDS)),
      path: text("RFC 6901 pointer; * stands for every item of an array."),
      count: count(),
      of: count(),
      types: list(text()),
      declared: list(text()),
      keyword: text("Which refuses a value."),
      says: { description: "What the schema says by keyword." },
      required: flag,
      closed: flag,
    },
    "types",
    "declared",
    "keyword",
    "says",
    "required",
    "closed",
  ),
};
