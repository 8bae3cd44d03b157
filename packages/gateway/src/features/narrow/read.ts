import { pointerTokens, valueAt } from "@touchstone/core/advanced";
import { isSecretName } from "@touchstone/util";
import { narrowFault } from "./narrow.ts";
import type { NarrowSchema } from "./narrow-schema.ts";

type Path = readonly (string | number)[];

const at = (value: unknown, path: Path): unknown => valueAt(value, path.map(String))?.value;

/** The start of a reference to a variable, also in the form of editors (`${env:NAME}`); captures its name. */
const VARIABLE = /(?<!\$)\$\{(?:env:)?([^}:]*)/g;

/**
 * Reads a schema of `narrow`, and reports what is wrong at its place.
 * @param source the same before variables were substituted
 * @param report receives the steps from the schema to a fault
 */
export function readNarrow(
  schema: NarrowSchema["schema"],
  source: unknown,
  report: (path: Path, message: string) => void,
): NarrowSchema {
  const fault = narrowFault({ schema });
  if (fault !== undefined) {
    // Reports each place once, up to a limit.
    for (const { path: pointer, message } of fault.details ?? [fault]) {
      const place = stepsOf(schema, pointer);
      const put = at(source, place);
      const isPutIn = typeof put === "string" && VARIABLE.test(put);
      VARIABLE.lastIndex = 0;
      // The value of a variable is not shown.
      const why = isPutIn ? "it is not valid once its variable is filled in" : message;
      const it = fault.details === undefined || isPutIn ? "" : "it ";
      report(place, `cannot be used as a JSON Schema: ${it}${why}`);
    }
  }
  return { schema, written: inOurForm(source), secrets: secretsIn(schema, source) };
}

/** Returns a schema with variables in our form: editors have a form of their own. */
function inOurForm(written: unknown): NarrowSchema["written"] {
  return JSON.parse(JSON.stringify(written).replaceAll(/(?<!\$)\$\{env:/g, "${"));
}

/** Returns the steps to the place of a pointer: indexes as numbers. */
function stepsOf(schema: unknown, pointer: string): Path {
  let here = schema;
  return pointerTokens(pointer).map((token) => {
    const step = Array.isArray(here) ? Number(token) : token;
    here = Object(here)[step];
    return step;
  });
}

/** Returns the texts with a variable whose name suggests a secret. */
function secretsIn(value: unknown, written: unknown): readonly string[] {
  if (typeof value === "string" && typeof written === "string") {
    const names = [...written.matchAll(VARIABLE)].map(([, name = ""]) => name);
    const isSecret = (name: string): boolean => name === "file" || isSecretName(name);
    return value !== "" && names.some(isSecret) ? [value] : [];
  }
  if (typeof value !== "object" || value === null || typeof written !== "object") return [];
  return Object.entries(value).flatMap(([key, inside]) => secretsIn(inside, at(written, [key])));
}
