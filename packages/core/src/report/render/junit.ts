import { escapeUnsafe, plainLine } from "../../json/quote.ts";
import { isUnchecked } from "../../result.ts";
import { describeIssue } from "../explain/sentence.ts";
import { type LocatedIssue, locateIssues, type ReportedDocument } from "./document.ts";

/** Characters that XML 1.0 does not allow, even as references (section 2.2). */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

function toReference(character: string): string {
  return `&#x${character.codePointAt(0)?.toString(16)};`;
}

/**
 * Returns text for an attribute or an element. What XML 1.0 forbids becomes U+FFFD. Characters that an attribute would
 * lose, that a terminal would act on, or that are invisible become character references (section 4.1).
 */
export function xmlText(text: string): string {
  const known = text
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
  return escapeUnsafe(known, toReference);
}

function line({ issue, start, level }: LocatedIssue): string {
  const at = start === undefined ? "" : `${start.line}:${start.column} `;
  const note = level === "warning" ? "warning: " : "";
  return `${at}${note}${describeIssue(issue)} (${issue.rule})`;
}

function testCase(document: ReportedDocument): string {
  if ("unread" in document) {
    const error = `<error message="${xmlText(plainLine(document.unread, 1024))}" type="unread"/>`;
    return `${openTag(document.name)}>\n      ${error}\n    </testcase>`;
  }
  const issues = locateIssues(document);
  const open = openTag(
    document.line === undefined ? document.name : `${document.name}:${document.line}`,
  );
  const text = issues.map((issue) => xmlText(line(issue))).join("\n");
  if (document.check.valid) {
    const out = text === "" ? "" : `\n      <system-out>${text}</system-out>\n    `;
    return out === "" ? `${open}/>` : `${open}>${out}</testcase>`;
  }
  const { errors, outcome, truncated = 0 } = document.check;
  if (isUnchecked(document.check)) {
    const error = `<error message="not checked" type="${outcome}">${text}</error>`;
    return `${open}>\n      ${error}\n    </testcase>`;
  }
  const count = errors.length + truncated;
  const message = `${count} issue${count === 1 ? "" : "s"}`;
  return `${open}>\n      <failure message="${message}" type="${outcome}">${text}</failure>\n    </testcase>`;
}

function openTag(name: string): string {
  return `    <testcase classname="touchstone.validate" name="${xmlText(name)}"`;
}

/**
 * Returns documents as JUnit XML, the format that CI servers read: one test case for each document, with a failure if
 * it is not valid, or an error if it could not be read or checked. XML 1.0 in UTF-8.
 */
export function renderJunit(documents: readonly ReportedDocument[]): string {
  const errors = documents.filter((one) => "unread" in one || isUnchecked(one.check)).length;
  const invalid = documents.filter((one) => "unread" in one || !one.check.valid).length;
  const counts = `tests="${documents.length}" failures="${invalid - errors}" errors="${errors}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="touchstone validate" ${counts}>`,
    ...documents.map(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
