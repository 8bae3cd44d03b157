import { createHash } from "node:crypto";
import {
  type CompiledSchema,
  checkAtOnce,
  compileDeclared,
  type Issue,
  isObject,
  type JsonRange,
  joinPointer,
  locateJson,
  type MemberPlan,
  parseJson,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { BoundedMap } from "@touchstone/util";
import { type MessageFaults, NO_FAULTS } from "./faults.ts";

/*
 * Elicitation (MCP, Client Features, Elicitation): a server sends a form with a `requestedSchema`, and the accepted
 * response must match it. Up to 2025-11-25 the form is a request of the server; in 2026-07-28 it is in a result that
 * asks for input, and the response is part of the call that the client repeats (Multi Round-Trip Requests).
 */

/** Largest schema of a form, in bytes. */
const MAX_SCHEMA = 16_384;
/** Largest content of a response that is checked, in bytes. */
const MAX_CONTENT = 65_536;
/** Largest message part that is searched for forms or responses at once, in bytes. */
const MAX_PART = 1_048_576;
/** How many requests for input of one result are read. */
const MAX_REQUESTS = 100;
/** How many results that ask for input to remember; the oldest are dropped. */
const MAX_REMEMBERED = 256;
/** How many of the server's own elicitations to remember; the oldest are dropped. */
const MAX_PENDING = 100;
/** How many bytes of schemas to remember for calls that cannot be distinguished. */
const MAX_LINKED = 65_536;
/** How many bytes of schemas of one result are compiled: about 8 ms of work, and 40 the first time. */
const MAX_COMPILED = 16_384;
/** How much of each end of a state is compared, in bytes. */
const MAX_STATE = 32_768;
/** How many forms to remember under one key. With more, a response cannot be checked. */
const MAX_FORMS = 8;
const MAX_DEPTH = 64;
const MAX_ISSUES = 20;
const NOTHING = Buffer.from("{}");
const METHOD = "elicitation/create";

/** The input that a server requests from a user. */
export interface RequestedForm {
  /** Whether the user visits a URL, so that no content is returned. */
  readonly isUrl: boolean;
  /**
   * The text of the schema, because the compiled schema would take many times the memory. Undefined if it cannot be
   * used.
   */
  readonly schema: Uint8Array | undefined;
  /** Of the text. */
  readonly hash: string | undefined;
}

/** The forms in one result that asks for input, by their keys. Undefined: too many to distinguish. */
type Forms = ReadonlyMap<string, readonly RequestedForm[] | undefined>;

/** Forms of results that asked for input, by a key that links them to the repeated call. */
export type ElicitationForms = Pick<BoundedMap<string, Forms>, "get" | "set">;

export function createElicitationForms(): ElicitationForms {
  return new BoundedMap(MAX_REMEMBERED);
}

export function createFormMap(): BoundedMap<string, RequestedForm> {
  return new BoundedMap(MAX_PENDING);
}

/** Returns the part of the forms that belongs to one sender. @param all those of all senders */
export function formsOfSender(all: ElicitationForms, sender: string): ElicitationForms {
  const key = (link: string): string => JSON.stringify([sender, link]);
  return {
    get: (link) => all.get(key(link)),
    set: (link, forms) => all.set(key(link), forms),
  };
}

const issueAt = (path: string, keyword: string, message: string): Issue => ({
  path,
  message,
  rule: "protocol",
  keyword,
});
const guardAt = (path: string, message: string): Issue => ({
  path,
  message,
  rule: "guard",
  keyword: "maxBytes",
});
const lengthOf = ({ start, end }: JsonRange): number => end - start;

function within({ start, end }: JsonRange, inner: JsonRange | undefined): JsonRange | undefined {
  if (inner === undefined || end < start) return undefined;
  return { start: start + inner.start, end: start + inner.end };
}

/** Finds the members of a plan in a part of a message. */
function locate(
  { bytes }: Frame,
  part: JsonRange,
  members: MemberPlan,
): (pointer: string) => JsonRange | undefined {
  const found = locateJson(bytes.subarray(part.start, part.end), { members });
  return (pointer) => within(part, found.members.get(pointer));
}

/** Returns a short string in a message; undefined for anything else. */
function shortString(frame: Frame, range: JsonRange | undefined): string | undefined {
  if (range === undefined || lengthOf(range) > 128) return undefined;
  const parsed = parseJson(frame.bytes.subarray(range.start, range.end));
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : undefined;
}

interface ReadForm {
  readonly form: RequestedForm;
  readonly errors: readonly Issue[];
  /** Issues that the specification only advises against. */
  readonly advice: readonly Issue[];
}

const UNUSABLE: RequestedForm = { isUrl: false, schema: undefined, hash: undefined };

/** Reads the form in an `elicitation/create` request. */
export function readElicitation(frame: Frame): ReadForm | undefined {
  const params = frame.range("/params");
  if (params === undefined) return undefined;
  if (lengthOf(params) > MAX_PART) {
    const text = `the request was not read: it has more than ${MAX_PART} bytes`;
    return { form: UNUSABLE, errors: [guardAt("/params", text)], advice: [] };
  }
  const at = locate(frame, params, { mode: true, requestedSchema: true });
  return formAt(frame, "/params", at("/mode"), at("/requestedSchema"));
}

function formAt(
  frame: Frame,
  path: string,
  mode: JsonRange | undefined,
  schema: JsonRange | undefined,
): ReadForm {
  if (shortString(frame, mode) === "url") {
    return { form: { ...UNUSABLE, isUrl: true }, errors: [], advice: [] };
  }
  // A missing schema is a fault of the message, which its own check reports.
  if (schema === undefined) return { form: UNUSABLE, errors: [], advice: [] };
  const place = `${path}/requestedSchema`;
  if (lengthOf(schema) > MAX_SCHEMA) {
    const text = `requestedSchema cannot be used: it has more than ${MAX_SCHEMA} bytes`;
    return { form: UNUSABLE, errors: [guardAt(place, text)], advice: [] };
  }
  // Copies the text, because the form outlives its message.
  const text = new Uint8Array(frame.bytes.subarray(schema.start, schema.end));
  const compiled = compiledForm(text);
  const advice = beyondForms(text).map((name) =>
    issueAt(
      place,
      "requested-schema",
      `requestedSchema has ${name}, which is not in the part of JSON Schema that MCP allows for forms; clients may ignore it`,
    ),
  );
  const { error: fault } = compiled;
  if (fault === undefined) {
    return { form: { isUrl: false, schema: text, hash: compiled.hash }, errors: [], advice };
  }
  const unusable = `requestedSchema cannot be used: ${fault.message}`;
  const errors = [issueAt(`${place}${fault.path}`, "requested-schema", unusable)];
  return { form: UNUSABLE, errors, advice };
}

function compiledForm(text: Uint8Array): CompiledSchema {
  return compileDeclared({ text }, { limits: { maxBytes: MAX_SCHEMA, maxDepth: MAX_DEPTH } });
}

/** Keywords that combine, reference or nest schemas, which a form must not use (Elicitation, Requested Schema). */
const COMBINING = [
  ...["$ref", "$dynamicRef", "$defs", "definitions", "allOf", "not", "if", "then", "else"],
  ...["patternProperties", "propertyNames", "dependentSchemas", "dependencies"],
  ...["unevaluatedProperties", "prefixItems", "contains"],
];
const OF_FORM = [...COMBINING, "anyOf", "oneOf"];
const OF_FIELD = [...COMBINING, "properties", "additionalProperties"];

/** Returns the keywords of a form's schema that MCP does not allow in forms. */
function beyondForms(text: Uint8Array): readonly string[] {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return [];
  const schema = parsed.value;
  const found = new Set(OF_FORM.filter((name) => Object.hasOwn(schema, name)));
  const { properties } = schema;
  for (const field of isObject(properties) ? Object.values(properties) : []) {
    if (!isObject(field)) continue;
    for (const name of OF_FIELD) if (Object.hasOwn(field, name)) found.add(name);
  }
  return [...found];
}

/**
 * Returns a key that links a result that asks for input to the repeated call: the method, the tool, and the state
 * that the client sends back.
 */
function linkOf(
  method: string,
  tool: string | undefined,
  frame: Frame,
  state: JsonRange | undefined,
): string {
  const text = state === undefined ? "" : stateText(frame, state);
  const ends =
    text.length <= 2 * MAX_STATE ? [text] : [text.slice(0, MAX_STATE), text.slice(-MAX_STATE)];
  const hash = createHash("sha256");
  for (const end of ends) hash.update(end);
  const digest = hash.digest("base64");
  return JSON.stringify([method, tool ?? null, state === undefined ? null : digest, text.length]);
}

/** Clients may escape the same text in another way. */
function stateText({ bytes }: Frame, { start, end }: JsonRange): string | Uint8Array {
  const text = bytes.subarray(start, end);
  const parsed = text.length > 2 * MAX_STATE ? undefined : parseJson(text);
  return parsed?.ok && typeof parsed.value === "string" ? parsed.value : text;
}

/** The request whose result asks for input, or the repeated request with that input. */
export interface InputRequest {
  readonly method: string;
  /** The tool, by the server's own name, if it is a call. */
  readonly tool: string | undefined;
}

/** Remembers the forms of a result that asks for input. Returns what is wrong with them. */
export function learnElicitationForms(
  elicited: ElicitationForms,
  frame: Frame,
  of: InputRequest,
): MessageFaults {
  const requests = frame.range("/result/inputRequests");
  if (requests === undefined) return NO_FAULTS;
  const path = "/result/inputRequests";
  if (lengthOf(requests) > MAX_PART) {
    const text = `the requests for input were not read: they have more than ${MAX_PART} bytes`;
    return { errors: [guardAt(path, text)], items: [] };
  }
  const keys = keysOf(frame, requests);
  if (keys.length > MAX_REQUESTS) {
    const text = `the requests for input were not read: there are more than ${MAX_REQUESTS}`;
    return { errors: [guardAt(path, text)], items: [] };
  }
  const members = { method: true, params: { mode: true, requestedSchema: true } } as const;
  const at = locate(frame, requests, planOf(keys, members));
  const state = frame.range("/result/requestState");
  const link = linkOf(of.method, of.tool, frame, state);
  const before = elicited.get(link);
  const forms = new Map(before);
  const errors: Issue[] = [];
  const items: Issue[] = [];
  const schemas = keys.map((key) => at(`${joinPointer("", key)}/params/requestedSchema`));
  const unseen: Forms = new Map(keys.map((key) => [key, undefined]));
  if (bytesIn(schemas) > MAX_COMPILED && keys.length > 1) {
    // If the result is forwarded, earlier forms no longer apply to the response.
    elicited.set(link, unseen);
    const text = `the forms were not read: their schemas have more than ${MAX_COMPILED} bytes together`;
    return { errors: [guardAt(path, text)], items: [] };
  }
  for (const key of keys) {
    const own = joinPointer("", key);
    if (shortString(frame, at(`${own}/method`)) !== METHOD) continue;
    const params = `${own}/params`;
    const read = formAt(
      frame,
      path + params,
      at(`${params}/mode`),
      at(`${params}/requestedSchema`),
    );
    errors.push(...read.errors);
    items.push(...read.advice);
    forms.set(key, withForm(before, key, read.form));
  }
  if (forms.size > 2 * MAX_REQUESTS || bytesOf(forms) > MAX_LINKED) {
    // Responses to earlier forms can no longer be checked, and count as unchecked.
    elicited.set(link, unseen);
  } else elicited.set(link, forms);
  return { errors, items };
}

function bytesIn(ranges: readonly (JsonRange | undefined)[]): number {
  return ranges.reduce((sum, range) => sum + (range === undefined ? 0 : lengthOf(range)), 0);
}

function bytesOf(forms: Forms): number {
  let bytes = 0;
  for (const known of forms.values()) {
    for (const { schema } of known ?? []) bytes += schema?.length ?? 0;
  }
  return bytes;
}

/** Two calls of one tool may wait at the same time: a response is then checked by the forms of both. */
function withForm(
  before: Forms | undefined,
  key: string,
  form: RequestedForm,
): readonly RequestedForm[] | undefined {
  const known = before?.get(key) ?? [];
  if (before?.has(key) === true && before.get(key) === undefined) return undefined;
  const isKnown = known.some(({ isUrl, hash }) => isUrl === form.isUrl && hash === form.hash);
  if (isKnown) return known;
  return known.length === MAX_FORMS ? undefined : [...known, form];
}

function keysOf({ bytes }: Frame, { start, end }: JsonRange): readonly string[] {
  const parsed = parseJson(bytes.subarray(start, end));
  return parsed.ok && isObject(parsed.value) ? Object.keys(parsed.value) : [];
}

function planOf(keys: readonly string[], members: MemberPlan): MemberPlan {
  return Object.fromEntries(keys.map((key) => [key, members]));
}

/** The issues of responses of users, which have texts of their own. */
const ofInput = new WeakSet<Issue>();

/** Returns whether all of some issues are about responses to forms. */
export function areInputIssues(issues: readonly Issue[]): boolean {
  return issues.length > 0 && issues.every((issue) => ofInput.has(issue));
}

const RESPONSE: MemberPlan = { action: true, content: true };
const UNSEEN =
  "the response was not checked: this gateway has not seen the form that it belongs to, or has seen too many forms to know which one";

/**
 * Checks a client's response to a form, in revisions up to 2025-11-25.
 * @param form undefined if the gateway has not seen the request
 */
export function elicitationResponseFaults(
  frame: Frame,
  form: RequestedForm | undefined,
): MessageFaults {
  const result = frame.range("/result");
  if (result === undefined) return NO_FAULTS;
  if (lengthOf(result) > MAX_PART) return form === undefined ? NO_FAULTS : tooLarge("/result");
  const at = locate(frame, result, RESPONSE);
  return answerFaults(frame, "/result", at("/action"), at("/content"), form && [form]);
}

function tooLarge(path: string): MessageFaults {
  const text = `the response was not checked: it has more than ${MAX_PART} bytes`;
  return { errors: [guardAt(path, text)], items: [] };
}

/** Checks the responses in a repeated request, in revisions from 2026-07-28 on. */
export function inputResponseFaults(
  elicited: ElicitationForms,
  frame: Frame,
  of: InputRequest,
): MessageFaults {
  const path = "/params/inputResponses";
  const responses = frame.range(path);
  if (responses === undefined) return NO_FAULTS;
  const forms = elicited.get(
    linkOf(of.method, of.tool, frame, frame.range("/params/requestState")),
  );
  const isLarge = lengthOf(responses) > MAX_PART;
  // Large responses may be images for a model, which no form asks for.
  if (isLarge) return forms === undefined || forms.size === 0 ? NO_FAULTS : tooLarge(path);
  const keys = keysOf(frame, responses);
  if (keys.length > MAX_REQUESTS) {
    const text = `the responses were not checked: there are more than ${MAX_REQUESTS}`;
    return { errors: [guardAt(path, text)], items: [] };
  }
  const at = locate(frame, responses, planOf(keys, RESPONSE));
  const asked = keys.filter((key) => forms?.get(key) !== undefined);
  const contents = asked.map((key) => at(`${joinPointer("", key)}/content`));
  if (asked.length > 1 && bytesIn(contents) > MAX_CONTENT) {
    const text = `the responses were not checked: their contents have more than ${MAX_CONTENT} bytes together`;
    return { errors: [noted(guardAt(path, text))], items: [] };
  }
  const errors: Issue[] = [];
  const items: Issue[] = [];
  for (const key of keys) {
    const own = joinPointer("", key);
    const known = forms?.get(key);
    const found = answerFaults(frame, path + own, at(`${own}/action`), at(`${own}/content`), known);
    errors.push(...found.errors);
    items.push(...found.items);
  }
  return { errors, items };
}

function answerFaults(
  frame: Frame,
  path: string,
  action: JsonRange | undefined,
  content: JsonRange | undefined,
  forms: readonly RequestedForm[] | undefined,
): MessageFaults {
  const said = shortString(frame, action);
  if (said === undefined) return NO_FAULTS;
  const place = `${path}/content`;
  if (said !== "accept") {
    if (content === undefined) return NO_FAULTS;
    const text = `content belongs to the action "accept" only`;
    return { errors: [], items: [issueAt(place, "elicitation", text)] };
  }
  if (forms === undefined) {
    return { errors: [], items: [issueAt(path, "elicitation-unseen", UNSEEN)] };
  }
  if (forms.some(({ isUrl }) => isUrl)) return NO_FAULTS;
  if (content !== undefined && lengthOf(content) > MAX_CONTENT) {
    const text = `the content was not checked: it has more than ${MAX_CONTENT} bytes`;
    return { errors: [noted(guardAt(place, text))], items: [] };
  }
  const text = content === undefined ? NOTHING : frame.bytes.subarray(content.start, content.end);
  const limits = { maxBytes: MAX_CONTENT, maxDepth: MAX_DEPTH };
  let issues: readonly Issue[] = [];
  for (const { schema } of forms) {
    // The fault of the schema was recorded with the request.
    if (schema === undefined) return NO_FAULTS;
    const check = checkAtOnce(compiledForm(schema), text, limits);
    if (check === undefined) {
      const slow =
        "the content was not checked: that takes more steps than the check of a form may take";
      return { errors: [noted({ ...guardAt(place, slow), keyword: "budget" })], items: [] };
    }
    if (check.valid) return NO_FAULTS;
    issues = check.errors.slice(0, MAX_ISSUES);
  }
  return { errors: issues.map((issue) => inContent(issue, place)), items: [] };
}

function noted(issue: Issue): Issue {
  ofInput.add(issue);
  return issue;
}

/** Returns the issue with its place in the message. It never contains the value. */
function inContent({ instancePath, ...issue }: Issue, place: string): Issue {
  return noted({
    ...issue,
    path: place + issue.path,
    rule: issue.rule === "guard" || issue.rule === "budget" ? issue.rule : "protocol",
    ...(instancePath === undefined ? {} : { instancePath: place + instancePath }),
  });
}
