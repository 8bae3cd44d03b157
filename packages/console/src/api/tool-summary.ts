import { isObject } from "../json/object.ts";

/** One entry of the list of tools, as returned by `GET /tools`. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly title?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Reads an item of the list; undefined if it has no name. */
export function readSummary(item: unknown): ToolSummary | undefined {
  if (!isObject(item)) return undefined;
  const { name, description, title, annotations } = item;
  if (typeof name !== "string") return undefined;
  return {
    name,
    description: typeof description === "string" ? description : "",
    ...(typeof title === "string" ? { title } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  };
}
