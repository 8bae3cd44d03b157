import { compileDeclared } from "../compile.ts";
import { admitDocument } from "../document/admit.ts";
import { buildGraph } from "../document/build.ts";
import { SCHEMA_LIMITS, SchemaFaultError } from "../document/fault.ts";
import { DocumentLibrary } from "../document/library.ts";
import { formatCheck, formatOf, numberFormatCheck } from "../engine/format/format.ts";
import { compilePattern, isPattern } from "../engine/pattern/pattern.ts";
import { isValid } from "../engine/testing/interpret.ts";
import { decimalsOf, restoreNumberTypes } from "../json/exact.ts";
import { scanJson, scanWith } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import type { OwnDialect } from "../keywords/dialect.ts";
import type { SchemaGraph } from "../keywords/node.ts";
import { BudgetError } from "../keywords/run.ts";
import { schemaImage } from "../shortcut/schema-image.ts";
import type { ConformanceJudge, SuiteOutcome } from "./conformance.ts";

/** The graph of a schema's text. @throws SchemaFaultError */
export function graphOf(
  schema: string,
  documents: ReadonlyMap<string, unknown>,
  dialect: OwnDialect,
  formats: boolean,
): SchemaGraph {
  const library = new DocumentLibrary(documents, dialect, SCHEMA_LIMITS);
  const document = admitDocument(encodeUtf8(schema), dialect, SCHEMA_LIMITS, library.find);
  return buildGraph(document, { library, formats, formatOf, isPattern });
}

const LIMITS = { maxDepth: 1_000 };
/** Enough for every test of the suite. */
const STEPS = 10_000_000;

interface Read {
  readonly text: string;
  readonly value: unknown;
  readonly decimals: ReturnType<typeof decimalsOf>;
}

function read(text: string): Read {
  const decimals = decimalsOf(scanJson(encodeUtf8(text), { numbers: true }).lossyNumbers);
  return { text, value: restoreNumberTypes(JSON.parse(text), decimals), decimals };
}

function judged(run: () => boolean): SuiteOutcome {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof BudgetError || thrown instanceof RangeError) return "budget";
    throw thrown;
  }
}

function overGraph(
  prepare: (graph: SchemaGraph) => (read: Read) => SuiteOutcome,
): ConformanceJudge {
  return (schema, documents, dialect, formats) => {
    try {
      const judge = prepare(graphOf(schema, documents, dialect, formats));
      return (text) => judge(read(text));
    } catch (thrown) {
      if (thrown instanceof SchemaFaultError) return () => "uncompilable";
      throw thrown;
    }
  };
}

/** The engine over the graph. */
export const engineJudge: ConformanceJudge = overGraph((graph) => ({ value, decimals }) => {
  const context = {
    decimals,
    budget: { steps: STEPS },
    formats: formatCheck,
    numberFormats: numberFormatCheck,
    patterns: compilePattern,
  };
  return judged(() => isValid(graph, value, context));
});

/** The product as a whole: the engine checks texts, and the scanner checks bytes. */
export const productJudge: ConformanceJudge = (schema, documents, dialect, formats) => {
  const compiled = compileDeclared({ text: schema }, { documents, dialect, formats });
  return (text) => {
    const inputs = [text, text, text, text, encodeUtf8(text.padEnd(40))];
    const outcomes = inputs.map((input) => compiled.validateText(input, LIMITS).outcome);
    const [first] = outcomes;
    if (!outcomes.every((outcome) => outcome === first)) return "not taken";
    if (first === "uncompilable" || first === "budget") return first;
    return first === "pass";
  };
};

/** The scanner alone, on the bytes of a text. If it cannot decide, the outcome is `not taken`. */
export const imageJudge: ConformanceJudge = overGraph((graph) => {
  const image = schemaImage(graph);
  return ({ text }) => {
    const bytes = encodeUtf8(text);
    const { exact, unique } = scanWith(bytes, { exact: true, unique: true }, wasmScanners);
    if (image === undefined || exact !== true || unique !== true) return "not taken";
    const answer = wasmScanners.use(bytes.length, (scanner) => scanner.accept(bytes, image));
    return answer ?? "not taken";
  };
});
