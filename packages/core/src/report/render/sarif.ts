import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { plainLine } from "../../json/quote.ts";
import { encodeUtf8 } from "../../json/text.ts";
import { isUnchecked, RULES, type Rule } from "../../result.ts";
import { describeIssue } from "../explain/sentence.ts";
import {
  type CheckedDocument,
  type LocatedIssue,
  locateIssues,
  type ReportedDocument,
  UNREADABLE_RULE,
  type UnreadDocument,
} from "./document.ts";
import { safeJson } from "./json.ts";

/** The author of a SARIF log. */
export interface SarifTool {
  readonly name: string;
  readonly version?: string;
}

/** A rule that results refer to by its index in the list. */
export interface SarifRule {
  readonly id: string;
  readonly shortDescription?: { readonly text: string };
}

/**
 * Returns a path with slashes as the URI of an artifact (RFC 3986). Escapes every character with a special meaning in
 * a URI, so that `#` does not begin a fragment and the text before a colon is not a scheme. An absolute path becomes
 * a `file` URI (RFC 8089).
 */
export function sarifUri(path: string): string {
  const escaped = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return escaped.startsWith("/") ? `file:///${escaped.replace(/^\/+/, "")}` : escaped;
}

/** The only partial fingerprint that GitHub code scanning reads ("SARIF support for code scanning", fingerprints). */
interface Fingerprints {
  readonly primaryLocationLineHash: string;
}

/**
 * Returns a function that makes the fingerprints of one run's results (section 3.27.17), in their order. They are made
 * of what a result is about, and not of its lines, so that an alert stays the same when other lines of a file change.
 * Results about the same are numbered.
 */
export function sarifFingerprints(): (...about: readonly string[]) => Fingerprints {
  const counts = new Map<string, number>();
  return (...about) => {
    const text = JSON.stringify(about.map((part) => part.toWellFormed()));
    const digest = bytesToHex(sha256(encodeUtf8(text))).slice(0, 16);
    const count = (counts.get(digest) ?? 0) + 1;
    counts.set(digest, count);
    return { primaryLocationLineHash: `${digest}:${count}` };
  };
}

/**
 * Returns the text of a SARIF 2.1.0 log (OASIS Standard, 27 March 2020) with one run. Columns in `results` are UTF-16
 * code units.
 * @param isWhole whether everything was examined that should have been; if not, the log says that the run failed
 *   (section 3.20.14)
 * @param notes what is to know about the run, such as what it leaves out (section 3.20.21)
 */
export function sarifLog(
  tool: SarifTool,
  rules: readonly SarifRule[],
  results: readonly object[],
  isWhole = true,
  notes: readonly string[] = [],
): string {
  const notifications = notes.map((text) => ({ level: "note", message: { text } }));
  const invocation = {
    executionSuccessful: isWhole,
    ...(notifications.length === 0 ? {} : { toolExecutionNotifications: notifications }),
  };
  const invocations = isWhole && notifications.length === 0 ? {} : { invocations: [invocation] };
  const log = {
    $schema:
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { ...tool, rules } },
        ...invocations,
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
  return `${safeJson(log)}\n`;
}

const RULE_TEXTS: Readonly<Record<Rule, string>> = {
  type: "A value has another type than the schema declares.",
  required: "A required property is missing.",
  extra: "A property is not declared.",
  value: "A value is not allowed.",
  format: "A string is not in the format that the schema declares.",
  number: "A number cannot be held by an IEEE 754 double.",
  duplicate: "A key occurs twice in one object.",
  guard: "A value is over a limit: too large, too deep, or with too many keys.",
  budget: "The check would have cost too much and has no result.",
  schema: "The schema cannot be used.",
  protocol: "A text is not JSON, or breaks the protocol.",
  policy: "The operator's policy forbids it.",
};

function location(uri: string, { start, end, issue }: LocatedIssue): object {
  const region =
    start === undefined || end === undefined
      ? {}
      : {
          region: {
            startLine: start.line,
            startColumn: start.column,
            endLine: end.line,
            endColumn: end.column,
          },
        };
  return {
    physicalLocation: { artifactLocation: { uri }, ...region },
    logicalLocations: [{ fullyQualifiedName: issue.path, kind: "value" }],
  };
}

type Fingerprint = ReturnType<typeof sarifFingerprints>;

function checkedResults(
  document: CheckedDocument,
  uri: string,
  fingerprint: Fingerprint,
): readonly object[] {
  return locateIssues(document).map((located) => ({
    ruleId: located.issue.rule,
    ruleIndex: RULES.indexOf(located.issue.rule),
    level: located.level,
    message: { text: describeIssue(located.issue) },
    locations: [location(uri, located)],
    partialFingerprints: fingerprint(
      ...[uri, located.issue.rule, located.issue.keyword ?? "", located.issue.path],
    ),
  }));
}

function unreadResult({ unread }: UnreadDocument, uri: string, fingerprint: Fingerprint): object {
  return {
    ruleId: UNREADABLE_RULE,
    ruleIndex: RULES.length,
    level: "error",
    message: { text: plainLine(unread, 1024) },
    // Code scanning does not show a result without a line.
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }],
    partialFingerprints: fingerprint(uri, UNREADABLE_RULE),
  };
}

/**
 * Returns documents as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020) with one run: a result for each error and
 * warning, with region and JSON Pointer. Rules are the classes of issues, and `file` for a document that could not be
 * read. The run has failed if a document could not be read or checked. Columns are UTF-16 code units.
 * @param uriOf returns the URI for a document's name; by default the name is a path, converted by {@link sarifUri}
 */
export function renderSarif(
  documents: readonly ReportedDocument[],
  tool: SarifTool,
  uriOf: (name: string) => string = sarifUri,
): string {
  const fingerprint = sarifFingerprints();
  const results = documents.flatMap((document) => {
    const uri = uriOf(document.name);
    return "unread" in document
      ? [unreadResult(document, uri, fingerprint)]
      : checkedResults(document, uri, fingerprint);
  });
  const allRead = documents.every((document) => "check" in document);
  const isWhole = documents.every((one) => "check" in one && !isUnchecked(one.check));
  const rules = RULES.map((id) => ({ id, shortDescription: { text: RULE_TEXTS[id] } }));
  const unread = { id: UNREADABLE_RULE, shortDescription: { text: "A file cannot be read." } };
  return sarifLog(tool, allRead ? rules : [...rules, unread], results, isWhole);
}
