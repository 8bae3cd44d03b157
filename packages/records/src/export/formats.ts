/** The formats of exports, and their media types. */
export const EXPORT_TYPES = {
  jsonl: "application/jsonl; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
  ecs: "application/jsonl; charset=utf-8",
  ocsf: "application/jsonl; charset=utf-8",
} as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;
export const EXPORT_FORMATS = Object.keys(EXPORT_TYPES) as readonly ExportFormat[];
