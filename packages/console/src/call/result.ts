import { encodeUtf8, jsonText, locatePointers, scanJson } from "@touchstone/core/advanced";
import { isObject, type JsonObject } from "../json/object.ts";

/** One content item of a result, as shown on the page. */
export type ContentView =
  | { readonly kind: "text"; readonly text: string }
  /** `source` is a `data:` URL of a raster image. */
  | { readonly kind: "image"; readonly source: string; readonly mimeType: string }
  | { readonly kind: "audio"; readonly source: string; readonly mimeType: string }
  /** Content that the page does not render: its JSON text, and why it is shown as text. */
  | { readonly kind: "other"; readonly type: string; readonly json: string; readonly why?: string };

/** The parsed response of a call. */
export interface ResultView {
  readonly isError: boolean;
  readonly content: readonly ContentView[];
  /** `structuredContent` as it was sent: numbers, order and spelling are preserved. */
  readonly structured?: string;
  readonly traceId?: string;
}

/** Raster images that browsers decode. SVG is a document, so it is shown as text. */
const IMAGES: readonly string[] = ["png", "jpeg", "gif", "webp", "avif", "bmp"].map(
  (kind) => `image/${kind}`,
);
const AUDIO: readonly string[] = ["mpeg", "wav", "x-wav", "ogg", "mp4", "aac", "flac", "webm"].map(
  (kind) => `audio/${kind}`,
);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Maximum nesting of a response; deeper ones are shown raw. */
const MAX_DEPTH = 1000;

function other(type: string, item: unknown, why?: string): ContentView {
  const json = JSON.stringify(item, null, 2);
  return { kind: "other", type, json, ...(why === undefined ? {} : { why }) };
}

function media(kind: "image" | "audio", item: JsonObject): ContentView {
  const { data, mimeType } = item;
  const type = typeof mimeType === "string" ? mimeType.toLowerCase() : "";
  const known = kind === "image" ? IMAGES : AUDIO;
  if (!known.includes(type)) return other(kind, item, `${kind} of a type that is not shown`);
  if (typeof data !== "string" || data.length % 4 !== 0 || !BASE64.test(data)) {
    return other(kind, item, `${kind} whose data is not base64`);
  }
  return { kind, mimeType: type, source: `data:${type};base64,${data}` };
}

function contentView(item: unknown): ContentView {
  if (!isObject(item)) return other("unknown", item, "no content block");
  const { type, text } = item;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "image" || type === "audio") return media(type, item);
  return other(typeof type === "string" ? type : "unknown", item);
}

function traceOf(meta: unknown): string | undefined {
  const trace = isObject(meta) ? meta["_trace_id"] : undefined;
  return typeof trace === "string" ? trace : undefined;
}

/**
 * Reads the text of an MCP `CallToolResult` (revision 2025-11-25, Server Features, Tools). Returns undefined if it is
 * not JSON, is nested too deep, or has no `content` list. Never throws.
 */
export function readResult(text: string): ResultView | undefined {
  const bytes = encodeUtf8(text);
  if (scanJson(bytes, { maxDepth: MAX_DEPTH }).error !== undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !Array.isArray(value["content"])) return undefined;
  const pointer = "/structuredContent";
  const place = locatePointers(bytes, [pointer]).get(pointer);
  const traceId = traceOf(value["_meta"]);
  return {
    isError: value["isError"] === true,
    content: value["content"].map(contentView),
    ...(place?.found === true ? { structured: jsonText(bytes, place.value) } : {}),
    ...(traceId === undefined ? {} : { traceId }),
  };
}
