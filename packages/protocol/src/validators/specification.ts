import {
  compileDeclared,
  encodeUtf8,
  type Issue,
  issuesResult,
  locatePointers,
  parseJson,
  positionsOf,
  type ValidatorLogger,
  type ValidatorResult,
} from "@touchstone/core/advanced";
import { schemasIn } from "./examples.ts";
import { type CodeBlock, codeBlocks } from "./markdown.ts";
import { safeOption, withoutThrowing } from "./wire.ts";

/** Who receives errors. */
export interface SpecificationValidatorOptions {
  /** Receives the text of every error, once. An audit itself has only warnings. */
  readonly logger?: ValidatorLogger | undefined;
}

const SECTIONS = ["description", "invocation name", "input schema", "output schema"];
const JSON_LANGUAGES: ReadonlySet<string> = new Set(["json", "jsonschema", "json-schema"]);
/** The longest text that is audited, in UTF-16 code units. */
const MAX_TEXT = 5_242_880;
const MAX_WARNINGS = 1_000;

function warning(message: string, params?: Readonly<Record<string, unknown>>): Issue {
  return { path: "", message, rule: "protocol", ...(params === undefined ? {} : { params }) };
}

/** Returns the faults of a schema, one for each place in it; if there are none, its warnings. */
function schemaFaults(schema: unknown): readonly Pick<Issue, "path" | "message" | "rule">[] {
  const { error: fault, warnings } = compileDeclared({ value: schema });
  if (fault === undefined) return warnings;
  const places = new Set<string>();
  const faults = (fault.details ?? [fault]).filter(({ path }) => {
    const isNew = !places.has(path);
    places.add(path);
    return isNew;
  });
  return faults.map(({ path, message }) => ({ path, message, rule: "schema" }));
}

/**
 * Returns the positions in the file of byte offsets in a block, both counted from 1. @param line of the block's fence
 */
function placesIn(
  bytes: Uint8Array,
  offsets: readonly number[],
  line: number,
): readonly { readonly line: number; readonly column: number }[] {
  const positions = positionsOf(bytes, offsets);
  return offsets.map((offset) => {
    const at = positions.get(offset);
    return { line: line + (at?.line ?? 1), column: at?.column ?? 1 };
  });
}

/**
 * Returns the faults of the schemas in an example, each with its path in the example, until the limit is reached.
 */
function faultsIn(example: unknown): ReturnType<typeof schemaFaults> {
  const faults: Pick<Issue, "path" | "message" | "rule">[] = [];
  for (const [at, schema] of schemasIn(example)) {
    if (faults.length >= MAX_WARNINGS) break;
    for (const fault of schemaFaults(schema)) faults.push({ ...fault, path: at + fault.path });
  }
  return faults;
}

function blockWarnings({ text, line }: CodeBlock): readonly Issue[] {
  const bytes = encodeUtf8(text);
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    const what = `The JSON example at line ${line} is not JSON: ${parsed.message}`;
    return [warning(what, placesIn(bytes, [parsed.offset], line)[0])];
  }
  const faults = faultsIn(parsed.value);
  const found = locatePointers(
    bytes,
    faults.map(({ path }) => path),
  );
  const places = placesIn(
    bytes,
    faults.map(({ path }) => found.get(path)?.value.start ?? 0),
    line,
  );
  return faults.map(({ path, message, rule }, i) => {
    const where = path === "" ? "" : ` (${path})`;
    const what = `The schema in the example at line ${line}${where}: ${message}`;
    return { ...warning(what, places[i]), path, rule };
  });
}

/** Audits Markdown that specifies an MCP tool. All findings are warnings: `valid` is always true. Never throws. */
export class SpecificationValidator {
  readonly #logger: ValidatorLogger | undefined;

  constructor(options?: SpecificationValidatorOptions) {
    this.#logger = safeOption(options, "logger");
  }

  /**
   * Looks for the sections that a specification has (description, invocation name, input schema, output schema,
   * security), for definitions under `##` headings and for JSON examples. Parses the examples and compiles the
   * schemas in them. A finding about an example has its position in the file, `line` and `column` from 1, in its
   * `params`.
   * @param content the file's text
   */
  validateSpecFile(content: string): ValidatorResult {
    return withoutThrowing(
      () => issuesResult([], this.#audit(content), this.#logger),
      (issue) => issuesResult([], [issue], this.#logger),
    );
  }

  #audit(content: unknown): readonly Issue[] {
    if (typeof content !== "string") {
      return [warning(`A specification is text, found ${typeof content}`)];
    }
    if (content.length > MAX_TEXT) {
      const size = `${content.length} characters, more than the limit of ${MAX_TEXT}`;
      return [warning(`The specification is too long to be audited: ${size}`)];
    }
    const text = content.toLowerCase();
    const warnings = SECTIONS.filter((section) => !text.includes(section)).map((section) =>
      warning(`Missing recommended section: ${section}`),
    );
    if (!/^##\s/m.test(content)) {
      warnings.push(warning("No tool definitions found (expected ## headers)"));
    }
    const blocks = codeBlocks(content).filter(({ language }) => JSON_LANGUAGES.has(language));
    if (blocks.length === 0) {
      warnings.push(warning("No JSON examples found (recommended for schemas)"));
    }
    if (!text.includes("security")) {
      warnings.push(warning("Missing security considerations section"));
    }
    for (const block of blocks) {
      if (warnings.length >= MAX_WARNINGS) break;
      warnings.push(...blockWarnings(block));
    }
    return warnings.slice(0, MAX_WARNINGS);
  }
}
