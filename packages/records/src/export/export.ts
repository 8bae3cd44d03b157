import { ActivityError } from "../errors.ts";
import type { ActivityScope } from "../filter.ts";
import { PageSize } from "../page-size.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityReader } from "../store.ts";
import { CSV_HEADER, toCsv } from "./csv.ts";
import { toEcs } from "./ecs.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./formats.ts";
import { toOcsf } from "./ocsf.ts";

export { EXPORT_FORMATS, type ExportFormat } from "./formats.ts";

/** How to write records in one format. */
interface Writing {
  readonly header: string;
  readonly line: (record: ActivityRecord) => string;
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

export const EXPORTS: Readonly<Record<ExportFormat, Writing>> = {
  jsonl: { header: "", line: json },
  csv: { header: CSV_HEADER, line: toCsv },
  ecs: { header: "", line: (record) => json(toEcs(record)) },
  ocsf: { header: "", line: (record) => json(toOcsf(record)) },
};

/**
 * Returns the format with a name.
 *
 * @throws ActivityError `BAD_FILTER` for an unknown name
 */
export function exportFormat(name: string): ExportFormat {
  const known = EXPORT_FORMATS.find((format) => format === name);
  if (known !== undefined) return known;
  const problem = `format: ${JSON.stringify(name.slice(0, 64))} is none of ${EXPORT_FORMATS.join(", ")}`;
  throw new ActivityError("BAD_FILTER", problem, { field: "format" });
}

/** Most records of a piece. */
const PAGE = 500;

function damagedId(id: string): ActivityError {
  return new ActivityError(
    "RECORD_UNREADABLE",
    `The id of record ${id} was damaged, so no later record can be exported. ` +
      "touchstone activity verify names what else was; restore the records from a backup.",
  );
}

/**
 * Returns the records in a scope, oldest first, as pieces of text of a few hundred lines. Records that are appended
 * during the export may be missing.
 *
 * @throws ActivityError if the records cannot be read
 */
export async function* exportActivity(
  reader: ActivityReader,
  scope: ActivityScope,
  format: ExportFormat,
): AsyncGenerator<{ readonly text: string; readonly records: number }> {
  const { header, line } = EXPORTS[format];
  if (header !== "") yield { text: header, records: 0 };
  const size = new PageSize(PAGE);
  let after: string | undefined;
  for (;;) {
    const limit = size.next;
    const records = await reader.scan(scope, { after, limit });
    const last = records.at(-1);
    if (last === undefined) return;
    // The last id was read as another text than the one that the store sorts by, because it is damaged.
    if (after !== undefined && last.id <= after) throw damagedId(last.id);
    const text = records.map(line).join("");
    yield { text, records: records.length };
    if (records.length < limit) return;
    size.took(records.length, text.length);
    after = last.id;
  }
}
