// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// biome-ignore-end lint/style/noRestrictedImports: see above
import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { sharedPath } from "../../../core/src/testing/shared.ts";
import { messagesOf } from "../messages/tables.ts";
import type { Fixture } from "./fixtures.ts";

/** The folder of MCP's own schemas, or undefined if it is absent. */
export const OFFICIAL: string | undefined = sharedPath("corpus", "mcp-schema");

type Json = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** MCP's own schema of one revision, as an oracle for whole messages. */
export class Official {
  readonly version: string;
  readonly #definitions: ReadonlyMap<string, ValidateFunction>;
  readonly #byMethod: ReadonlyMap<string, ValidateFunction>;
  readonly #byCode: ReadonlyMap<unknown, ValidateFunction>;

  constructor(folder: string, version: string) {
    this.version = version;
    const schema = JSON.parse(readFileSync(join(folder, version, "schema.json"), "utf8")) as Json;
    const part = "$defs" in schema ? "$defs" : "definitions";
    const Engine = part === "$defs" ? Ajv2020 : Ajv;
    const ajv = new Engine({ strict: false, validateFormats: false, logger: false });
    ajv.addSchema(schema as AnySchema, "mcp");
    const compile = (name: string): ValidateFunction => {
      const found = ajv.getSchema(`mcp#/${part}/${name}`);
      if (found === undefined) throw new Error(`${version} has no definition ${name}`);
      return found;
    };
    const definitions = new Map<string, ValidateFunction>();
    const byMethod = new Map<string, ValidateFunction>();
    const byCode = new Map<unknown, ValidateFunction>();
    for (const [name, definition] of Object.entries(schema[part] as Json)) {
      const validate = compile(name);
      definitions.set(name, validate);
      const text = JSON.stringify(definition);
      const method = /"method":\{"const":"([^"]+)"/.exec(text)?.[1];
      // Skips unions, which repeat their members.
      if (
        method !== undefined &&
        /(?:Request|Notification)$/.test(name) &&
        !/^(?:Client|Server)/.test(name)
      ) {
        byMethod.set(method, validate);
      }
      const code = /"error":\{.*"code":\{"const":(-\d+)/.exec(text)?.[1];
      if (code !== undefined) byCode.set(Number(code), validate);
    }
    this.#definitions = definitions;
    this.#byMethod = byMethod;
    this.#byCode = byCode;
  }

  #is(name: string, value: unknown): boolean {
    const validate = this.#definitions.get(name);
    if (validate === undefined) throw new Error(`${this.version} has no definition ${name}`);
    return validate(value) === true;
  }

  /** Returns the name of the definition of the result of this method, for the message before it was mutated. */
  resultName({ requestMethod, message }: Fixture): string {
    const name = messagesOf(this.version)?.methods[requestMethod ?? ""]?.result;
    if (name === undefined) throw new Error(`no result of ${requestMethod}`);
    const { result } = message;
    if (isRecord(result) && result["resultType"] === "input_required") return "InputRequiredResult";
    return isRecord(result) && "task" in result ? "CreateTaskResult" : name;
  }

  /** Whether the schema accepts a message that was made from a fixture. */
  accepts(message: unknown, fixture: Fixture): boolean {
    if (!this.#is("JSONRPCMessage", message) || !isRecord(message)) return false;
    const { message: before } = fixture;
    if ("method" in before) {
      if (!this.#is("id" in before ? "JSONRPCRequest" : "JSONRPCNotification", message))
        return false;
      // A method that is not defined is an extension's.
      const validate = this.#byMethod.get(String(message["method"]));
      return validate === undefined || validate(message) === true;
    }
    if ("result" in before) {
      const old = this.#definitions.has("JSONRPCResponse") && this.version < "2025-11-25";
      const envelope = old ? "JSONRPCResponse" : "JSONRPCResultResponse";
      return this.#is(envelope, message) && this.#is(this.resultName(fixture), message["result"]);
    }
    const envelope = this.version < "2025-11-25" ? "JSONRPCError" : "JSONRPCErrorResponse";
    if (!this.#is(envelope, message)) return false;
    const { error } = message;
    const known = isRecord(error) ? this.#byCode.get(error["code"]) : undefined;
    return known === undefined || known(message) === true;
  }
}

/** The official examples of a revision by the name of their definition; none if it has none. */
export function officialExamples(
  folder: string,
  version: string,
): readonly (readonly [string, unknown])[] {
  const at = join(folder, version, "examples");
  try {
    return readdirSync(at)
      .sort()
      .flatMap((name) =>
        readdirSync(join(at, name))
          .sort()
          .map((file): [string, unknown] => [
            name,
            JSON.parse(readFileSync(join(at, name, file), "utf8")),
          ]),
      );
  } catch {
    return [];
  }
}
