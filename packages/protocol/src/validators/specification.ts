import {
  compileSchema,
  encodeUtf8,
  type Issue,
  issuesResult,
  locatePointers,
  parseJson,
  positionsOf,
  type ValidatorLogger,
  type ValidatorResult,
} from "@touchstone/core";
import { schemasIn } from "./examples.ts";
import { type CodeBlock, codeBlocks } from "./markdown.ts";
import { option, unthrown } from "./wire.ts";

/** Who hears of errors. */
export interface SpecificationValidatorOptions {
  /** Gets the text of every error, once; an audit itself has warnings only. */
  readonly logger?: ValidatorLogger | undefined;
}

const SECTIONS = ["description", "invocation name", "input schema", "output schema"];
const JSON_LANGUAGES: ReadonlySet<string> = new Set(["json", "jsonschema", "json-schema"]);
/** The longest text that is read, in UTF-16 code units. */
const MAX_TEXT = 5_242_880;
const MAX_WARNINGS = 1_000;

function warning(message: string, params?: Readonly<Record<string, unknown>>): Issue {
  return { path: "", message, rule: "protocol", ...(params === undefined ? {} : { params }) };
}

/** What is wrong with a schema, once for each place in it, and what is odd. */
function schemaFaults(schema: unknown): readonly Pick<Issue, "path" | "message" | "rule">[] {
  const { fault, warnings } = compileSchema({ value: schema });
  if (fault === undefined) return warnings;
  const places = new Set<string>();
  const faults = (fault.details ?? [fault]).filter(({ path }) => {
    const isNew = !places.has(path);
    places.add(path);
    return isNew;
  });
  return faults.map(({ path, message }) => ({ path, message, rule: "schema" }));
}

/** The place of a byte of a block in the file, both from 1. @param line of the block's fence */
function placeIn(
  bytes: Uint8Array,
  offset: number,
  line: number,
): { readonly line: number; readonly column: number } {
  const at = positionsOf(bytes, [offset]).get(offset);
  return { line: line + (at?.line ?? 1), column: at?.column ?? 1 };
}

function blockWarnings({ text, line }: CodeBlock): readonly Issue[] {
  const bytes = encodeUtf8(text);
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    const what = `The JSON example at line ${line} is not JSON: ${parsed.message}`;
    return [warning(what, placeIn(bytes, parsed.offset, line))];
  }
  return schemasIn(parsed.value).flatMap(([at, schema]) =>
    schemaFaults(schema).map(({ path, message, rule }) => {
      const place = at + path;
      const where = place === "" ? "" : ` (${place})`;
      const what = `The schema in the example at line ${line}${where}: ${message}`;
      const { value } = locatePointers(bytes, [place]).get(place) ?? { value: { start: 0 } };
      return { ...warning(what, placeIn(bytes, value.start, line)), path: place, rule };
    }),
  );
}

/**
 * Audits Markdown that specifies an MCP tool. All that it finds are warnings: `valid` is always true.
 * Never throws.
 */
export class SpecificationValidator {
  readonly #logger: ValidatorLogger | undefined;

  constructor(options?: SpecificationValidatorOptions) {
    this.#logger = option(options, "logger");
  }

  /**
   * Looks for the sections that a specification has (description, invocation name, input schema,
   * output schema, security), for definitions under `##` headings and for JSON examples; parses the
   * examples and compiles the schemas in them. What is about an example has its place in the file, `line` and
   * `column` from 1, among its `params`.
   * @param content the file's text
   */
  validateSpecFile(content: string): ValidatorResult {
    return unthrown(
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
