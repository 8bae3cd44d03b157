import {
  type Check,
  type CompiledSchema,
  compileDeclared,
  foldText,
  type Issue,
  runSteps,
  type SchemaError,
  scanJsonSteps,
  type TextCheckOptions,
  tooLongToFold,
} from "@touchstone/core/advanced";
import { hideSecret, REDACTED, redactText } from "@touchstone/util";
import type { Mode } from "../decision.ts";
import type { LevelSettings } from "../level-settings.ts";
import type { NarrowSchema } from "./narrow-schema.ts";
import { similarArgumentSteps } from "./near-arguments.ts";

/*
 * Constraints on a tool's arguments besides its own schema: `tools.NAME.narrow`, a JSON Schema in the dialect for
 * policies. Pure functions.
 */

/** The constraint on calls of one tool. */
export interface Narrowing {
  readonly mode: Mode;
  /** The tool that it belongs to. */
  readonly tool: string;
  readonly compiled: CompiledSchema;
  readonly schema: NarrowSchema["schema"];
  readonly secrets: readonly string[];
  /** Whether lists of tools show the constraint. */
  readonly advertise: boolean;
  /** Why no call can be checked by the constraint; absent if calls can be checked. */
  readonly unsure?: string;
}

const compiled: WeakMap<object, CompiledSchema> = new WeakMap();

/** Compiles a schema of `narrow`, once per object. Never throws: `fault` says what is wrong. */
export function compileNarrow({ schema }: Pick<NarrowSchema, "schema">): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compileDeclared({ value: schema }, { dialect: "policy" });
  compiled.set(schema, made);
  return made;
}

/**
 * Returns what is wrong with a schema of `narrow`. An unknown format is a fault, because it would allow everything.
 */
export function narrowFault(narrow: Pick<NarrowSchema, "schema">): SchemaError | undefined {
  const { error: fault, warnings } = compileNarrow(narrow);
  const [odd] = warnings;
  if (fault !== undefined || odd === undefined) return fault;
  const message = `${odd.message}, so nothing would be checked; use "pattern"`;
  return { code: "uncompilable", path: odd.path, message };
}

/** The constraints on one server's tools. */
export class ServerNarrowings {
  readonly #exact: Map<string, Narrowing> = new Map();
  readonly #folded: Map<string, Narrowing> = new Map();
  #advertised: string | undefined;
  /** A constraint that blocks calls that cannot be checked. Undefined if none does. */
  readonly blocking: Narrowing | undefined;
  readonly #first: Narrowing | undefined;

  constructor(tools: ReadonlyMap<string, LevelSettings>) {
    for (const [tool, { policy }] of tools) {
      const { narrow, mode, advertise = false } = policy ?? {};
      if (narrow === undefined || mode === undefined || mode === "off") continue;
      const { schema, secrets } = narrow;
      const narrowing = { mode, tool, compiled: compileNarrow(narrow), schema, secrets, advertise };
      this.#exact.set(tool, narrowing);
      const compared = foldText(tool, "name");
      if (compared === undefined) continue;
      if (!this.#folded.has(compared) || mode === "strict") this.#folded.set(compared, narrowing);
    }
    const all = [...this.#exact.values()];
    this.blocking = all.find(({ mode }) => mode === "strict");
    this.#first = this.blocking ?? all[0];
  }

  /** A text that changes whenever other constraints are shown in lists of tools; undefined if none are shown. */
  get advertised(): string | undefined {
    this.#advertised ??= this.#shown();
    return this.#advertised === "" ? undefined : this.#advertised;
  }

  #shown(): string {
    const shown = [...this.#exact.values()].filter(({ advertise }) => advertise);
    const said = shown.map(({ tool, mode, schema, secrets }) => [tool, mode, schema, secrets]);
    return said.length === 0 ? "" : JSON.stringify(said);
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0;
  }

  /**
   * Returns the constraint on a tool, also for a name that a server may treat as the tool's, such as one in another
   * case. A name that is too long to be compared may be of any tool: the result is then a constraint that blocks
   * every call, if there is such a constraint.
   */
  of(tool: string): Narrowing | undefined {
    const exact = this.#exact.get(tool);
    if (exact !== undefined) return exact;
    const compared = foldText(tool, "name");
    if (compared !== undefined) return this.#folded.get(compared);
    const unsure = `cannot be checked, because the tool's name ${tooLongToFold(tool)}`;
    return this.#first && { ...this.#first, advertise: false, unsure };
  }
}

const known: WeakMap<ReadonlyMap<string, LevelSettings>, ServerNarrowings> = new WeakMap();

/** Returns the constraints on a server's tools, the same object for the same map; undefined if there are none. */
export function narrowingsOf(
  tools: ReadonlyMap<string, LevelSettings>,
): ServerNarrowings | undefined {
  let found = known.get(tools);
  if (found === undefined) {
    found = new ServerNarrowings(tools);
    known.set(tools, found);
  }
  return found.isEmpty ? undefined : found;
}

const OPEN_OBJECT = 0x7b;

const canonical: WeakMap<CompiledSchema, CompiledSchema["canonical"]> = new WeakMap();

/** Returns {@link CompiledSchema.canonical}, cached per schema because it is expensive. */
function canonicalOf(schema: CompiledSchema): CompiledSchema["canonical"] {
  if (!canonical.has(schema)) canonical.set(schema, schema.canonical);
  return canonical.get(schema);
}

/**
 * Returns why programs may read arguments differently; undefined if they agree. Works in steps.
 * @param maxBytes the largest arguments to check: others are refused anyway
 */
export function* ambiguousArguments(
  text: Uint8Array,
  { compiled: schema, unsure: why }: Pick<Narrowing, "compiled" | "unsure">,
  maxBytes: number | undefined,
): Generator<void, Issue | undefined, void> {
  const unsure = (path: string, message: string): Issue => ({
    path,
    message,
    rule: "policy",
    keyword: "narrow",
  });
  if (why !== undefined) return unsure("", why);
  if (text[0] !== OPEN_OBJECT) return unsure("", "must be an object");
  const { error, root, duplicates } = yield* scanJsonSteps(text, { duplicates: true });
  // The check reports what is wrong with a text that is not JSON.
  if (error !== undefined) return undefined;
  const [twin] = duplicates;
  if (twin !== undefined) {
    return unsure(twin.path, "must occur only once in its object: programs may read either one");
  }
  if (maxBytes !== undefined && text.length > maxBytes) return undefined;
  const declared = canonicalOf(schema);
  // The check reports what is wrong with the schema.
  return declared === undefined ? undefined : yield* similarArgumentSteps(declared, text, root);
}

/** Returns the issues that block a call with these arguments; none if it would be sent. */
export function narrowIssues(
  narrowing: Narrowing | undefined,
  text: Uint8Array,
  limits?: TextCheckOptions,
): readonly Issue[] {
  if (narrowing?.mode !== "strict") return [];
  const { compiled, secrets } = narrowing;
  const issue = runSteps(ambiguousArguments(text, narrowing, limits?.maxBytes));
  return issue === undefined
    ? asPolicyCheck(compiled.validateText(text, limits), secrets).errors
    : withoutSecretsOf(issue, secrets);
}

const withoutSecretsOf = (issue: Issue, secrets: readonly string[]): readonly Issue[] => [
  { ...issue, message: withoutNarrowSecrets(issue.message, secrets) },
];

/** The keywords of `narrow` issues in records; all others become `narrow`. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(["within", "hosts"]);

/** Returns a text without secrets that `narrow` has from variables, and without parts that look like secrets. */
export function withoutNarrowSecrets(text: string, secrets: readonly string[]): string {
  const kept = secrets.reduce((left, secret) => hideSecret(left, secret, REDACTED), text);
  return redactText(kept).text;
}

/** Returns a check as records show it: every issue has the class `policy`, whatever keyword found it. */
export function asPolicyCheck(check: Check, secrets: readonly string[]): Check {
  const { errors, counts } = check;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    ...check,
    counts: { policy: total },
    errors: errors.map(({ keyword = "", params: _, message, ...issue }) => ({
      ...issue,
      message: withoutNarrowSecrets(message, secrets),
      rule: "policy",
      keyword: OWN_KEYWORDS.has(keyword) ? keyword : "narrow",
    })),
  };
}
