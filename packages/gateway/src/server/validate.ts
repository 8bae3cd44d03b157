import type { IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import {
  type Check,
  type CompiledSchema,
  compileOwn,
  type Issue,
  type JsonScan,
  parseJson,
  scanJson,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { ActivityError } from "@touchstone/records/errors";
import { boundName } from "@touchstone/records/plain";
import { threadSlice } from "@touchstone/util";
import type { Json } from "@touchstone/util/schema";
import { quote } from "../config/faults.ts";
import { BodyTooLargeError, readCountedBody } from "../transport/http/body.ts";
import { mediaType } from "../transport/http/headers.ts";
import type { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import { AdminError } from "./admin/errors.ts";
import type { Body, Parameter } from "./api/operation.ts";
import { COMPONENTS } from "./api/schemas.ts";
import type { BodyReader } from "./route.ts";

/** The issue of a check that ends without one, for example because it runs out of steps. */
const NO_ISSUE: Issue = { path: "", message: "it cannot be checked", rule: "value" };

/** Compiled schemas, by the part of a row that they check. */
const compiled: WeakMap<object, CompiledSchema> = new WeakMap();

function compiledFor(part: object, schema: () => Json): CompiledSchema {
  const known = compiled.get(part) ?? compileOwn(schema());
  compiled.set(part, known);
  return known;
}

/** Returns the schema of a query; {@link readQuery} converts its numbers and booleans. */
export function querySchema(parameters: Readonly<Record<string, Parameter>>): Json {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}

/**
 * Reads a query string and checks it by a row's parameters.
 * @throws {ActivityError} `BAD_FILTER`, whose text starts with the name; also for a repeated name, because it is
 *   unclear which value counts
 */
export function readQuery(
  search: string,
  parameters: Readonly<Record<string, Parameter>>,
): Readonly<Record<string, string>> {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!given.has(name)) given.set(name, value);
    else throw badFilter(name, `${JSON.stringify(name.slice(0, 64))} is given twice; give it once`);
  }
  const values = [...given].map(
    ([name, text]) => [name, readValue(text, parameterOf(parameters, name))] as const,
  );
  const query = compiledFor(parameters, () => querySchema(parameters));
  const { valid, errors } = query.validate(Object.fromEntries(values));
  if (valid) return Object.fromEntries(given);
  const [issue = NO_ISSUE] = errors;
  const name = String(issue.params?.["additionalProperty"] ?? issue.path.slice(1));
  throw badFilter(
    name,
    `${shown(name)}: ${problemOf(issue, given.get(name) ?? "", parameters, name)}`,
  );
}

/** Names come from the client: one may equal a method of every object. */
function parameterOf(
  parameters: Readonly<Record<string, Parameter>>,
  name: string,
): Parameter | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** Converts a text whose schema requires an integer or a boolean. */
function readValue(text: string, parameter: Parameter | undefined): unknown {
  const type = parameter?.schema["type"];
  if (type === "integer" && /^\d{1,16}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function problemOf(
  { keyword, message }: Issue,
  text: string,
  parameters: Readonly<Record<string, Parameter>>,
  name: string,
): string {
  const { schema = {}, refusal = message } = parameterOf(parameters, name) ?? {};
  const quoted = JSON.stringify(shown(text));
  switch (keyword) {
    case "additionalProperties":
      return `is not a filter here; the filters are ${Object.keys(parameters).join(", ")}`;
    case "required":
      return "is required";
    case "minLength":
      return "must not be empty";
    case "enum":
      return `${quoted} is none of ${(schema["enum"] as readonly string[]).join(", ")}`;
    case "pattern":
      return `${quoted} ${refusal}`;
  }
  if (schema["type"] === "boolean") return `${quoted} is neither true nor false`;
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return `${quoted} is not a whole number from ${minimum} to ${maximum}`;
}

function badFilter(field: string, text: string): ActivityError {
  return new ActivityError("BAD_FILTER", text, { field });
}

/** Keeps hostile text in a message on one short line. */
function shown(text: string): string {
  return boundName(text.length > 64 ? `${text.slice(0, 63)}…` : text);
}

const MAX_BODY = 16 * 1024;

/**
 * Reads the body of a request and checks it by a row's schema.
 * @throws {AdminError} as `OperationInput.body` does
 * @throws BodyRefusedError if there is no room for it, or it does not arrive in time
 */
export async function readJson(
  request: IncomingMessage,
  body: Body,
  bodies: UnfinishedBodies,
  reader: BodyReader = {},
): Promise<unknown> {
  if (body.optional === true && !hasBody(request)) return parseBody(EMPTY, body, reader);
  if (mediaType(request.headers["content-type"]) !== "application/json") {
    throw new AdminError("UNSUPPORTED_TYPE", "The body must be application/json.");
  }
  const { maxBytes = MAX_BODY } = body;
  const bytes = await readCountedBody(request, maxBytes, bodies).catch((error: unknown) => {
    if (!(error instanceof BodyTooLargeError)) throw error;
    throw new AdminError("TOO_LARGE", `The body is larger than ${maxBytes} bytes.`);
  });
  if (bytes.length <= SMALL_BODY) return parseBody(bytes, body, reader);
  const scan = await threadSlice.take(scanJsonSteps(bytes, { duplicates: true }));
  await turn();
  return parseBody(bytes, body, reader, scan);
}

/** A larger body is scanned in steps, and checked in a separate turn of the event loop. */
const SMALL_BODY = 65_536;

const unusable = (problem: string): AdminError =>
  new AdminError("BAD_REQUEST", `The body cannot be used: ${problem}`);

const EMPTY = new TextEncoder().encode("{}");

/** RFC 9112, section 6.3: a request without these headers has no body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Checks a body by a row's schema and parses it.
 * @param scanned the result of a scan for duplicate keys, if there was one
 * @throws what `invalid` returns
 */
export function parseBody(
  bytes: Uint8Array,
  body: Body,
  { invalid = unusable, read }: BodyReader = {},
  scanned?: JsonScan,
): unknown {
  const { schema, noun } = body;
  const checked = compiledFor(body, () => ({ ...schema, components: COMPONENTS })).validateText(
    bytes,
  );
  if (!checked.valid) throw invalid(bodyProblem(checked, noun));
  const [twice] = (scanned ?? scanJson(bytes, { duplicates: true })).duplicates;
  if (twice !== undefined) throw invalid(`the key ${nameAt(twice.path)} occurs twice.`);
  if (read !== undefined) return read(bytes);
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw invalid(`${parsed.message}.`);
  return parsed.value;
}

function bodyProblem({ errors, suggestions }: Check, noun = "an allowed value"): string {
  const [{ keyword, path, message } = NO_ISSUE] = errors;
  const [meant] = suggestions;
  switch (keyword) {
    case "additionalProperties": {
      const instead = meant?.path === path ? ` — ${meant.message}` : ".";
      return `the key ${nameAt(path)} is not known${instead}`;
    }
    case "enum":
      return `the value of ${nameAt(path)} is not ${noun}.`;
    case "minProperties":
    case "not":
      return "it sets nothing.";
  }
  if (keyword === "type" && path === "") return "it is not an object.";
  return path === "" ? `${message}.` : `${nameAt(path)} ${message}.`;
}

/** Returns the last name in a JSON pointer, in quotes. */
function nameAt(pointer: string): string {
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  return quote(name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
