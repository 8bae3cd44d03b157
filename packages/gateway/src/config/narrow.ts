import { pointerTokens } from "@touchstone/core";
import { narrowFault } from "../policy/narrow.ts";
import type { NarrowSchema } from "../policy/settings.ts";
import type { ToolSection } from "../settings/schema.ts";
import { isSecretName } from "../util/secret-text.ts";
import { valueAt } from "./check.ts";
import type { JsonValue, Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";

/** The start of a reference to a variable, also in the form of editors (`${env:NAME}`); captures its name. */
const VARIABLE = /(?<!\$)\$\{(?:env:)?([^}:]*)/g;

/** Reads a schema of `narrow`, and reports what is wrong at its place. */
export function readNarrow(
  schema: NonNullable<ToolSection["narrow"]>,
  path: Path,
  faults: FaultList,
  written: JsonValue,
): NarrowSchema {
  const fault = narrowFault({ schema });
  if (fault !== undefined) {
    // Reports each place once, up to a limit.
    for (const { path: pointer, message } of fault.details ?? [fault]) {
      const at = [...path, ...stepsOf(schema, pointer)];
      const source = valueAt(written, at);
      const isPutIn = typeof source === "string" && VARIABLE.test(source);
      VARIABLE.lastIndex = 0;
      // The value of a variable is not shown.
      const why = isPutIn ? "it is not valid once its variable is filled in" : message;
      const it = fault.details === undefined || isPutIn ? "" : "it ";
      faults.add("INVALID_VALUE", at, `cannot be used as a JSON Schema: ${it}${why}`);
    }
  }
  const source = valueAt(written, path) ?? {};
  return { schema, written: inOurForm(source), secrets: secretsIn(schema, source) };
}

/** Returns a schema with variables in our form: editors have a form of their own. */
function inOurForm(written: JsonValue): NarrowSchema["written"] {
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
function secretsIn(value: unknown, written: JsonValue | undefined): readonly string[] {
  if (typeof value === "string" && typeof written === "string") {
    const names = [...written.matchAll(VARIABLE)].map(([, name = ""]) => name);
    const isSecret = (name: string): boolean => name === "file" || isSecretName(name);
    return value !== "" && names.some(isSecret) ? [value] : [];
  }
  if (typeof value !== "object" || value === null || typeof written !== "object") return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    secretsIn(
      inside,
      written === null ? undefined : valueAt(written, [Array.isArray(written) ? Number(key) : key]),
    ),
  );
}
