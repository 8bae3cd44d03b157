import {
  arrayItems,
  decodeUtf8,
  isObject,
  jsonText,
  locatePointers,
  parseJson,
} from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import { definitionSteps } from "@touchstone/protocol/lock";
import type { PinnedText } from "../contracts/pin-store.ts";
import type { ServerExchange } from "./exchange.ts";
import type { PendingRequest } from "./in-flight.ts";

/** Lists that are learnt as they pass: the member that holds the items, and the member that names one. */
const LISTS = {
  "prompts/list": { kind: "prompt", items: "/prompts", name: "name" },
  "resources/templates/list": {
    kind: "resource_template",
    items: "/resourceTemplates",
    name: "uriTemplate",
  },
} as const;

/** Longer results and items are not read. */
const MAX_RESULT = 16_777_216;
const MAX_ITEM = 262_144;
/** Items of a page that are read. */
const MAX_ITEMS = 10_000;

/** Returns whether responses to a method are learnt by {@link learnDeclared}. */
export function isDeclaredList(method: string | undefined): method is keyof typeof LISTS {
  return method !== undefined && Object.hasOwn(LISTS, method);
}

/** Compares a passing list of prompts or resource templates with what was approved, and records what has changed. */
export async function learnDeclared(
  { state, frame, entries }: ServerExchange,
  { method, cursor }: Pick<PendingRequest, "method" | "cursor">,
): Promise<void> {
  const { pins, slice } = state.context;
  if (pins === undefined || !isDeclaredList(method)) return;
  const list = LISTS[method];
  const page = await slice.take(readPage(frame, list));
  if (page === undefined) return;
  const changes = await pins.declared(list.kind, page.items, { from: cursor, next: page.next });
  for (const change of changes) entries.push(state.evidence.pinChange(change));
}

function* readPage(
  { bytes, ranges: { result } }: Frame,
  { kind, items: pointer, name: member }: (typeof LISTS)[keyof typeof LISTS],
): Generator<
  void,
  { readonly items: readonly PinnedText[]; readonly next: string | undefined } | undefined,
  void
> {
  if (result === undefined || result.end - result.start > MAX_RESULT) return undefined;
  const own = bytes.subarray(result.start, result.end);
  const places = locatePointers(own, [pointer, "/nextCursor"]);
  yield;
  const list = places.get(pointer);
  if (list?.found !== true || own[list.value.start] !== OPEN_ARRAY) return undefined;
  const items: PinnedText[] = [];
  for (const { start, end } of arrayItems(own, list.value)) {
    if (items.length >= MAX_ITEMS) break;
    if (end - start > MAX_ITEM) continue;
    const { hash, text } = yield* definitionSteps(decodeUtf8(own, start, end));
    const value: unknown = JSON.parse(text);
    const name = isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    if (typeof name === "string") items.push({ kind, name, hash, text });
    yield;
  }
  const place = places.get("/nextCursor");
  const cursor = place?.found === true ? parseJson(jsonText(own, place.value)) : undefined;
  const next = cursor?.ok === true && typeof cursor.value === "string" ? cursor.value : undefined;
  return { items, next };
}

const OPEN_ARRAY = 0x5b;
