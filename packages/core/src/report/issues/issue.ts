import type { KeywordError } from "../../engine/context.ts";
import { joinPointer } from "../../json/pointer.ts";
import { explanationOf, ruleOfKeyword } from "../../keywords/index.ts";
import type { Issue } from "../../result.ts";

// Stored outside the issues: issues are written to records, logs and responses, and what an explanation reads (the
// checked value, the schema's nodes) must not get there.
const sources = new WeakMap<Issue, KeywordError>();

/** Remembers which engine error an issue reports. */
function setSource(issue: Issue, source: KeywordError | undefined): void {
  if (source !== undefined) sources.set(issue, source);
}

/**
 * Returns the engine error that an issue reports. Undefined for an issue that no schema raised, and for one that was
 * copied or read back from JSON.
 */
export function engineErrorOf(issue: Issue): KeywordError | undefined {
  return sources.get(issue);
}

/**
 * Links an issue that was made from another, such as one with a longer path, to the same engine error. Without the
 * link, explanations know only what the copy itself says. Returns the issue.
 */
export function derivedIssue(issue: Issue, original: Issue): Issue {
  setSource(issue, engineErrorOf(original));
  return issue;
}

/** Returns the engine's own words, whatever the message of the issue is. */
export function nativeOf({ message, nativeMessage }: Issue): string {
  return nativeMessage ?? message;
}

/**
 * Which location an issue's `path` names for a missing, unknown or badly named property: the property's own
 * (`field`), or the engine's, which is the object that holds it (`instance`).
 */
export type PathStyle = "field" | "instance";

/** Returns the property that an error is about, if that differs from the error's location. */
function propertyOf({ keyword, params, propertyName }: KeywordError): string | undefined {
  // An error inside `propertyNames` is about a name; its location is that of the object.
  if (propertyName !== undefined) return propertyName;
  const { about = "" } = explanationOf(keyword);
  const name = params[about];
  return typeof name === "string" ? name : undefined;
}

/** Returns whether the error is about the name of a property. */
export function isAboutPropertyName({ propertyName }: KeywordError): boolean {
  return propertyName !== undefined;
}

/** Returns the narrowest JSON Schema type of a value; for a number that JSON lacks, its name. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return String(value);
    return Number.isInteger(value) ? "integer" : "number";
  }
  return typeof value;
}

/**
 * Returns whether the text of a number is not an integer although its double is: `9007199254740993.5` and `1e-400`,
 * for example.
 */
export function isRounded({ keyword, params, data }: KeywordError): boolean {
  const types = [params["type"]].flat();
  return keyword === "type" && Number.isInteger(data) && types.includes("integer");
}

function publicParams(error: KeywordError): KeywordError["params"] {
  const { params, keyword, data } = error;
  // The type found says what to fix and reveals nothing of the value.
  if (keyword !== "type") return params;
  return { ...params, received: isRounded(error) ? "number" : typeOf(data) };
}

/**
 * Makes an issue from an engine error, with the engine's message verbatim. The params of `type` also report the type
 * that was `received`.
 */
export function issueOf(error: KeywordError, paths: PathStyle): Issue {
  const { instancePath, schemaPath, keyword, message } = error;
  const property = paths === "field" ? propertyOf(error) : undefined;
  const issue: Issue = {
    path: property === undefined ? instancePath : joinPointer(instancePath, property),
    message,
    rule: isAboutPropertyName(error) ? "extra" : ruleOfKeyword(keyword),
    keyword,
    schemaPath,
    params: publicParams(error),
    instancePath,
  };
  setSource(issue, error);
  return issue;
}

/**
 * Returns the place that an issue is about, whatever its path style: for a missing, unknown or badly named property,
 * the property's own.
 */
export function fieldPath(issue: Issue): string {
  const { path, instancePath, keyword, params = {} } = issue;
  if (path !== instancePath) return path;
  const { about = "" } = explanationOf(keyword);
  const name = engineErrorOf(issue)?.propertyName ?? params[about];
  return typeof name === "string" ? joinPointer(path, name) : path;
}
