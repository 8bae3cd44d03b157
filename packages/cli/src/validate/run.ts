import {
  type Check,
  type CheckedDocument,
  type CheckOptions,
  type CompiledSchema,
  heaviestTreatment,
  isUnchecked,
  type RepairedText,
  type ReportedDocument,
  type Rules,
  renderForTerminal,
  renderJson,
  renderJunit,
  renderSarif,
  withoutIgnored,
} from "@touchstone/core/advanced";
import { plural } from "@touchstone/util/plural";
import { type WriteText, withTextOutput } from "../activity/text-output.ts";
import { artifactUri } from "../findings/artifact-uri.ts";
import { withDuplicateKeys } from "../findings/duplicate-keys.ts";
import { watchReader } from "../io/closed-output.ts";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { inputName, readWhole, refuseInputTwice } from "../io/input-pieces.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { VERSION } from "../own-package.ts";
import { repairsLine, repairTextWith } from "../repair/repaired-text.ts";
import { wantsColour } from "../terminal/capable.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type JsonText, readLines } from "./files.ts";
import type { ValidateOptions } from "./options.ts";
import { readRules } from "./rules.ts";
import { type LoadedSchema, loadSchema } from "./schema.ts";

/** The options, with the rules that `--rule` gives. */
interface RunOptions extends Omit<ValidateOptions, "rule"> {
  readonly rules?: Rules;
}

interface Tally {
  checked: number;
  invalid: number;
  /** Documents that were repaired and written; they do not count as invalid. */
  repaired: number;
  /** Documents whose check ended without a result. */
  unchecked: number;
  /** Files that could not be read. */
  failed: number;
}

function summaryOf({ checked, invalid, repaired, unchecked }: Tally): string {
  const rest = unchecked === 0 ? "" : `, ${unchecked} not checked`;
  const fixed = repaired === 0 ? "" : `, ${repaired} repaired`;
  return `${plural(checked, "document")}, ${invalid} invalid${fixed}${rest}`;
}

async function* textsOf(
  file: string,
  { jsonl, maxBytes }: RunOptions,
  io: ProcessIo,
): AsyncGenerator<JsonText> {
  if (jsonl === true) yield* readLines(file, maxBytes, io.stdin);
  else yield { bytes: await readWhole(file, maxBytes, io.stdin) };
}

/** From this size on, a check may take a long time. */
const LONG_BYTES = 1_048_576;

/** Messages go to a file or a person, so only the number of issues is limited. */
const MAX_TEXT = Number.MAX_SAFE_INTEGER;

function tooLong(name: string, check: Check, maxBytes: number): CheckedDocument {
  const message = `payload is more than the limit of ${maxBytes} bytes`;
  return {
    name,
    check: { ...check, errors: check.errors.map((issue) => ({ ...issue, message })) },
  };
}

/** A document with its check in its effective form, and with the original check. */
interface Judged {
  readonly document: CheckedDocument;
  readonly judged: Check;
}

/** Returns the options for checking a document, as read or as repaired. */
function limitsOf({
  maxBytes,
  maxDepth,
  rules,
  undeclared = "allow",
  undeclaredAt,
}: RunOptions): CheckOptions {
  return {
    maxBytes,
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(rules && { rules }),
    ...(undeclared !== "allow" && {
      undeclared: { treat: undeclared, deep: undeclaredAt === "deep" },
    }),
  };
}

/** Returns a check in its effective form: ignored issues are removed, and only violations make a document invalid. */
function asCounted(check: Check, { rules = {} }: RunOptions): Check {
  if (check.valid) return check;
  const heeded = withoutIgnored(check);
  if (heaviestTreatment(check, rules) === "violation") return heeded;
  const { truncated: _, errors, warnings, ...rest } = heeded;
  return { ...rest, valid: true, outcome: "pass", errors: [], warnings: [...errors, ...warnings] };
}

function judge(
  schema: CompiledSchema,
  file: string,
  { bytes, line }: JsonText,
  options: RunOptions,
): Judged {
  const { maxIssues, paths } = options;
  const judged = schema.validateText(bytes, {
    ...limitsOf(options),
    maxText: MAX_TEXT,
    ...(maxIssues === undefined ? {} : { maxIssues }),
    ...(paths === undefined ? {} : { paths }),
  });
  const check = withDuplicateKeys(asCounted(judged, options), bytes, maxIssues, MAX_TEXT);
  const name = inputName(file);
  // Longer texts are only read to one byte after the limit, so their size is unknown.
  const { maxBytes } = options;
  if (bytes.length > maxBytes && !check.valid) {
    return { judged, document: { ...tooLong(name, check, maxBytes), ...(line && { line }) } };
  }
  // Keeps the text only if a location in it may be shown.
  const isShown = check.guard === undefined && check.errors.length + check.warnings.length > 0;
  const document = {
    name,
    check,
    ...(isShown ? { bytes } : {}),
    ...(line === undefined ? {} : { line }),
  };
  return { judged, document };
}

const OPTION_OF = {
  maxBytes: "--max-bytes",
  maxDepth: "--max-depth",
  maxKeys: undefined,
  maxBatch: undefined,
} as const;

/** Returns which option to raise for a document that exceeds a limit. */
function limitHint({ name, line, check }: CheckedDocument): string | undefined {
  const { guard } = check;
  const option = guard === undefined ? undefined : OPTION_OF[guard.guard];
  if (guard === undefined || option === undefined) return undefined;
  const at = line === undefined ? name : `${name}:${line}`;
  const what =
    guard.guard === "maxBytes"
      ? `larger than ${guard.limit} bytes`
      : `nested deeper than ${guard.limit}`;
  return `${safeText(at)} is ${what}; ${option} raises the limit`;
}

/**
 * Checks the documents in all files until the output is closed. Passes each document, and each file that cannot be
 * read, to `report`.
 */
async function checkAll(
  files: readonly string[],
  { schema, declared }: Pick<LoadedSchema, "schema" | "declared">,
  options: RunOptions,
  io: ProcessIo,
  report: (document: ReportedDocument) => void,
  write?: WriteText,
): Promise<Tally> {
  const tally: Tally = { checked: 0, invalid: 0, repaired: 0, unchecked: 0, failed: 0 };
  const hasLeft = watchReader(io.stdout);
  const progress = new Progress(io);
  for (const file of files) {
    try {
      for await (const text of textsOf(file, options, io)) {
        if (text.bytes.length > LONG_BYTES)
          progress.show(`checking ${safeText(inputName(file))} …`);
        const came = judge(schema, file, text, options);
        let { document } = came;
        const fixed = repairedText(schema, declared, came.judged, text, options);
        if (fixed !== undefined) {
          const at = text.line === undefined ? "" : `:${text.line}`;
          const where = `${safeText(inputName(file))}${at}`;
          const what = write === undefined ? "can be repaired" : "repaired";
          const next = write === undefined ? "; --out FILE writes it" : "";
          progress.clear();
          io.stderr.write(`touchstone: ${where} ${what}: ${repairsLine(fixed)}${next}\n`);
        }
        if (fixed !== undefined && write !== undefined) {
          document = judge(schema, file, { ...text, bytes: fixed.bytes }, options).document;
          tally.repaired++;
        }
        await write?.(fixed?.bytes ?? text.bytes);
        if (options.jsonl === true) await write?.("\n");
        tally.checked++;
        if (isUnchecked(document.check)) tally.unchecked++;
        else if (!document.check.valid) tally.invalid++;
        const hint = limitHint(document);
        progress.at(() => summaryOf(tally));
        if (hint !== undefined || !document.check.valid) progress.clear();
        if (hint !== undefined) io.stderr.write(`touchstone: ${hint}\n`);
        report(document);
        if (hasLeft()) return tally;
      }
    } catch (error) {
      if (!(error instanceof CliExit)) throw error;
      progress.clear();
      io.stderr.write(`touchstone: ${error.message}\n`);
      tally.failed++;
      report({ name: inputName(file), unread: error.message });
    }
  }
  progress.clear();
  return tally;
}

/** Returns the repaired text of a document; undefined if it has no issues that count, or cannot be repaired. */
function repairedText(
  schema: CompiledSchema,
  declared: unknown,
  check: Check,
  { bytes }: JsonText,
  options: RunOptions,
): RepairedText | undefined {
  if (!check.valid && heaviestTreatment(check, options.rules ?? {}) === "ignore") return undefined;
  const limits = limitsOf(options);
  return repairTextWith(options.repair, { bytes, check, schema, declared, limits });
}

/** Thrown if a document could not be repaired; no file is written. */
class NotWritten extends Error {
  readonly tally: Tally;

  constructor(tally: Tally) {
    super("not all is valid");
    this.tally = tally;
  }
}

/** Checks all documents and writes them, repaired where needed, to the `--out` file. */
async function checkAndWrite(
  check: (write?: WriteText) => Promise<Tally>,
  { out, jsonl }: RunOptions,
  io: ProcessIo,
): Promise<Tally> {
  if (out === undefined) return check();
  try {
    const written = await withTextOutput(io, out, async (write) => {
      const tally = await check(write);
      const { invalid, unchecked, failed } = tally;
      if (failed > 0 || (jsonl !== true && invalid + unchecked > 0)) throw new NotWritten(tally);
      return tally;
    });
    io.stderr.write(`touchstone: written to ${safeText(out)}\n`);
    return written as Tally;
  } catch (error) {
    if (!(error instanceof NotWritten)) throw error;
    io.stderr.write(`touchstone: ${safeText(out)} was not written: not all is valid\n`);
    return error.tally;
  }
}

/** @throws CliExit 2 if options conflict */
function refuseOut(files: readonly string[], { repair, out }: RunOptions): void {
  if (out === undefined) return;
  if (repair === undefined) throw new CliExit(EXIT_USAGE, "--out needs --repair: add it");
  if (files.length > 1) {
    throw new CliExit(EXIT_USAGE, "--out takes one document: name one file, or use --jsonl");
  }
}

/** Writes an array of documents as JSON, one at a time: they may not all fit into memory. */
function jsonArray(write: (text: string) => void) {
  let isEmpty = true;
  return {
    add(document: ReportedDocument): void {
      const items = renderJson([document]).slice("[\n".length, -"\n]\n".length);
      write(`${isEmpty ? "[" : ","}\n${items}`);
      isEmpty = false;
    },
    end: () => write(isEmpty ? "[]\n" : "\n]\n"),
  };
}

/**
 * Checks documents against a schema and writes the results to stdout. `pretty` and `json` are written during the
 * check, other formats at its end. All formats but `pretty` include files that could not be read.
 *
 * @param files file names; `-` is standard input, at most once
 * @throws CliExit 1 if a document is invalid, 2 for wrong usage, 3 if the schema cannot be used, a file cannot be
 *   read, or no document is invalid and one could not be checked
 */
export async function runValidate(
  files: readonly string[],
  { rule, ...given }: ValidateOptions,
  io: ProcessIo,
): Promise<void> {
  const options: RunOptions = { ...given, ...(rule && { rules: readRules(rule) }) };
  refuseOut(files, options);
  refuseInputTwice([options.schema, ...options.document.values(), ...files]);
  const { warnings, ...loaded } = await loadSchema(options, io.stdin);
  for (const warning of warnings) io.stderr.write(`touchstone: warning: ${warning}\n`);
  const all: ReportedDocument[] = [];
  const { output: format, jsonl, maxIssues } = options;
  const pretty = {
    color: wantsColour(io),
    ...(io.stdout.columns === undefined ? {} : { width: io.stdout.columns }),
    ...(maxIssues === undefined ? {} : { maxListed: maxIssues }),
  };
  const array = jsonArray((text) => io.stdout.write(text));
  const report = (document: ReportedDocument): void => {
    if (format === "json") array.add(document);
    else if (format !== "pretty") all.push(document);
    // A file that could not be read is already reported on stderr.
    else if ("unread" in document) return;
    // For a JSON Lines file, reports only the lines that need a fix.
    else if (jsonl !== true || document.bytes !== undefined || !document.check.valid) {
      io.stdout.write(renderForTerminal(document, pretty));
    }
  };
  const check = (write?: WriteText) => checkAll(files, loaded, options, io, report, write);
  const tally = await checkAndWrite(check, options, io);
  if (format === "json") array.end();
  if (format === "junit") io.stdout.write(renderJunit(all));
  if (format === "sarif") {
    io.stdout.write(renderSarif(all, { name: "touchstone", version: VERSION }, artifactUri));
  }
  if (format === "pretty") {
    io.stdout.write(`${summaryOf(tally)}\n`);
  }
  if (tally.failed > 0) {
    throw new CliExit(EXIT_FAILED, `${plural(tally.failed, "file")} could not be read`);
  }
  if (tally.invalid > 0) throw new CliExit(EXIT_FINDINGS);
  if (tally.unchecked > 0) {
    const documents = plural(tally.unchecked, "document");
    throw new CliExit(EXIT_FAILED, `${documents} could not be checked`);
  }
}
