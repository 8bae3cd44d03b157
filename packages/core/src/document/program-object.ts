/** The parts of a Standard Schema, version 1, by which it is recognized. */
interface Standard {
  readonly vendor?: unknown;
  readonly validate?: unknown;
  readonly jsonSchema?: { readonly input?: unknown };
}

/** Returns a class's name, on one line and cut. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

const CONVERT = '["~standard"].jsonSchema.input({ target: "draft-2020-12" })';

function standardOf(value: object): Standard | undefined {
  const standard: unknown = Reflect.get(value, "~standard");
  const isObject = typeof standard === "object" && standard !== null;
  return isObject && typeof Reflect.get(standard, "validate") === "function" ? standard : undefined;
}

function describeStandard(value: object, { vendor, jsonSchema }: Standard): string {
  const isConverted = typeof jsonSchema?.input === "function";
  if (vendor === "zod") {
    const by = "_zod" in value ? "z.toJSONSchema(schema)" : "zodToJsonSchema(schema)";
    return `a Zod schema is not a JSON Schema; pass what ${by} returns`;
  }
  const what =
    vendor === "touchstone"
      ? "a compiled schema"
      : `a schema of the library ${quote(typeof vendor === "string" ? vendor : "unknown")}`;
  return isConverted
    ? `${what} is not a JSON Schema; pass what its ${CONVERT} returns`
    : `${what} is not a JSON Schema; pass what the library converts it to`;
}

/** Returns whether an object's class has methods, other than those of every object. */
function hasMethods(value: object): boolean {
  let from: object | null = Object.getPrototypeOf(value);
  while (from !== null) {
    const next: object | null = Object.getPrototypeOf(from);
    // Any realm has an `Object.prototype` of its own.
    if (next === null) return false;
    for (const name of Object.getOwnPropertyNames(from)) {
      const method: unknown = Object.getOwnPropertyDescriptor(from, name)?.value;
      if (name !== "constructor" && typeof method === "function") return true;
    }
    from = next;
  }
  return false;
}

function describeClass(value: object): string {
  const name: unknown = Reflect.get(value, "constructor")?.name;
  const called = typeof name === "string" && name !== "" ? ` of class ${quote(name)}` : "";
  return `an object${called} is not a JSON Schema; pass an object or a boolean as JSON has them`;
}

function describeFunction(value: object): string {
  const { schema } = value as { readonly schema?: unknown };
  const next =
    typeof schema === "object" && schema !== null
      ? "pass the schema that it was made of, which is in its `schema`"
      : "a schema is an object or a boolean";
  return `a function is not a schema; ${next}`;
}

function isPlain(value: object): boolean {
  const from: unknown = Object.getPrototypeOf(value);
  return from === Object.prototype || from === null;
}

/** Returns the name of the first own member that JSON cannot hold. */
function functionIn(value: object): string | undefined {
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (typeof Reflect.get(value, name) === "function") return name;
    if (name === "~standard" && standardOf(value) !== undefined) return name;
  }
  return undefined;
}

function describeObject(value: object, own: string | undefined): string {
  if (typeof Reflect.get(value, "then") === "function")
    return "a promise is not a schema; await it";
  const standard = standardOf(value);
  if (standard !== undefined) return describeStandard(value, standard);
  return own === undefined
    ? describeClass(value)
    : `an object with the function ${quote(own)} is not a JSON Schema; pass the JSON Schema that it holds or was made of`;
}

/**
 * Describes a value that is an object of the program and not JSON (a schema of another library, a promise, a map, a
 * function), and says what to pass instead. `JSON.stringify` drops the essence of such a value, and the rest, often
 * `{}`, would accept everything. Undefined for any other value, and for an object with a `toJSON`, which defines its
 * own JSON.
 * @throws errors of getters and proxies
 */
export function describeProgramObject(value: unknown): string | undefined {
  if (typeof value === "function") {
    const standard = standardOf(value);
    return standard === undefined ? describeFunction(value) : describeStandard(value, standard);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const own = functionIn(value);
  // The JSON Schema that Zod makes is a plain object in which `~standard` is not enumerable.
  const isPlainJson = own === undefined && isPlain(value);
  if (isPlainJson || typeof Reflect.get(value, "toJSON") === "function") return undefined;
  const isClass = standardOf(value) !== undefined || hasMethods(value);
  return own === undefined && !isClass ? undefined : describeObject(value, own);
}
