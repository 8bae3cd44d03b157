import { arrayItems, decodeUtf8, isObject, locatePointers } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { definitionSteps } from "@touchstone/protocol/lock";
import { MAX_PINNED_TEXT, type PinnedText } from "@touchstone/records/plain";
import type { ServerExchange } from "./exchange.ts";
import type { PendingRequest } from "./in-flight.ts";

/** Lists that are learned as they pass: the member that holds the items, and the member that names one. */
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

/** Returns whether responses to a method are learned by {@link learnDeclared}. */
export function isDeclaredList(method: string | undefined): method is keyof typeof LISTS {
  return method !== undefined && Object.hasOwn(LISTS, method);
}

/** Compares a forwarded list of prompts or resource templates with the approved one, and records the changes. */
export async function learnDeclared(
  { state, frame, entries }: ServerExchange,
  { method, cursor }: Pick<PendingRequest, "method" | "cursor">,
): Promise<void> {
  const { pins, slice } = state.context;
  if (pins === undefined || !isDeclaredList(method)) return;
  const list = LISTS[method];
  const items = await slice.take(readPage(frame, list));
  if (items === undefined) return;
  const place = { from: cursor, next: frame.nextCursor };
  const changes = await pins.declared(list.kind, items, place);
  for (const change of changes) entries.push(state.evidence.pinChange(change));
}

function* readPage(
  { bytes, ranges: { result } }: Frame,
  { kind, items: pointer, name: member }: (typeof LISTS)[keyof typeof LISTS],
): Generator<void, readonly PinnedText[] | undefined, void> {
  if (result === undefined || result.end - result.start > MAX_RESULT) return undefined;
  const own = bytes.subarray(result.start, result.end);
  const list = locatePointers(own, [pointer]).get(pointer);
  yield;
  if (list?.found !== true || own[list.value.start] !== OPEN_ARRAY) return undefined;
  const items: PinnedText[] = [];
  for (const { start, end } of arrayItems(own, list.value)) {
    if (items.length >= MAX_ITEMS) break;
    if (end - start > MAX_ITEM) continue;
    const source = own.subarray(start, end);
    const { hash, text } = yield* definitionSteps(source, MAX_PINNED_TEXT);
    const value: unknown = JSON.parse(decodeUtf8(source));
    const name = isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    if (typeof name === "string") items.push({ kind, name, hash, text });
    yield;
  }
  return items;
}

const OPEN_ARRAY = 0x5b;
