import { definitionDiffSteps } from "@touchstone/protocol/lock";
import { threadSlice } from "@touchstone/util";
import { approvalDigest } from "./approval-digest.ts";
import { type Author, authorFields } from "./author.ts";
import {
  type Pin,
  type PinItem,
  type PinKind,
  type PinReader,
  type PinSet,
  type PinStore,
  type ShownPinState,
  shownPinState,
} from "./contracts/pin-store.ts";
import type { ActivityEntry } from "./record.ts";
import type { ShownPin } from "./response-schemas.ts";

/** What to approve or revoke. */
export interface ApprovalChange {
  readonly server: string;
  readonly state: "approved" | "revoked";
  /** Only declarations of this kind; default: every kind. */
  readonly kind?: PinKind | undefined;
  /** Only declarations of this name. */
  readonly name?: string | undefined;
  /** Only the declaration with this hash. */
  readonly hash?: string | undefined;
  /** Who decides. */
  readonly author: Author;
  readonly source: "gateway" | "cli";
}

/** The result of a decision: what was changed, or why nothing was. */
export type ApprovalResult =
  | {
      readonly ok: true;
      readonly pins: readonly ShownPin[];
      /** Revoked declarations that the request included: they are approved again only by name or hash. */
      readonly leftAlone: readonly ShownPin[];
    }
  | { readonly ok: false; readonly code: "NOT_FOUND" | "AMBIGUOUS"; readonly message: string };

/** The stores of approvals and of their records. */
export interface ApprovalStores {
  readonly pins: PinStore;
  append(entries: readonly ActivityEntry[]): Promise<unknown>;
}

const NOTHING: PinSet = { version: 0, firstUse: new Set(), pins: [] };

/** Returns the known declarations of servers, sorted by kind, name and time. */
export async function listPins(
  store: PinReader,
  { server, state }: { readonly server?: string | undefined; readonly state?: string | undefined },
): Promise<readonly ShownPin[]> {
  const found: ShownPin[] = [];
  for (const name of server === undefined ? await store.servers() : [server]) {
    const { pins } = (await store.read(name)) ?? NOTHING;
    const last = lastApproved(pins);
    for (const { locked, ...pin } of pins) {
      const shown = shownPinState(pin);
      if (state !== undefined && shown !== state) continue;
      const before = last.get(keyOf(pin)) ?? locked;
      const previous = before === pin.hash ? null : before;
      found.push({ server: name, ...pin, state: shown, previous });
    }
  }
  return found;
}

/** Returns the hashes of the last approvals, by {@link keyOf}. */
function lastApproved(pins: readonly Pin[]): ReadonlyMap<string, string> {
  const last = new Map<string, Pin>();
  for (const pin of pins) {
    if (pin.state !== "approved") continue;
    const known = last.get(keyOf(pin));
    if (known === undefined || (known.decided ?? "") <= (pin.decided ?? "")) {
      last.set(keyOf(pin), pin);
    }
  }
  return new Map([...last].map(([key, { hash }]) => [key, hash]));
}

function keyOf({ kind, name }: PinItem): string {
  return JSON.stringify([kind, name]);
}

/**
 * Approves or revokes declarations, after writing a record of it: without its record nothing is approved. If several
 * versions are held, none is approved without a hash, because it is unclear which one is meant.
 * @throws ActivityError if the store cannot be read or written
 */
export async function decideApproval(
  approvals: ApprovalStores,
  decision: ApprovalChange,
): Promise<ApprovalResult> {
  const { pins: store } = approvals;
  const { server, state, kind, name, hash, author, source } = decision;
  const known = await listPins(store, { server });
  const isMeant = (pin: PinItem): boolean =>
    (kind === undefined || pin.kind === kind) &&
    (name === undefined || pin.name === name) &&
    (hash === undefined || pin.hash === hash);
  // A revoked declaration is approved again only if it is named.
  const isBulk = name === undefined && hash === undefined;
  const from: readonly ShownPinState[] =
    state === "revoked"
      ? ["approved"]
      : isBulk
        ? ["held", "recorded"]
        : ["held", "recorded", "revoked"];
  const meant = known.filter(isMeant);
  const chosen = meant.filter((pin) => from.includes(pin.state));
  const leftAlone =
    state === "approved" && isBulk ? meant.filter((pin) => pin.state === "revoked") : [];
  if (chosen.length === 0)
    return {
      ok: false,
      code: "NOT_FOUND",
      message: await missing(store, decision, meant, leftAlone),
    };
  const twice = state === "approved" && hash === undefined ? several(chosen) : [];
  const [first] = twice;
  if (first !== undefined) {
    const hashes = twice.map((pin) => `${pin.hash} (${pin.state} since ${pin.since})`).join(", ");
    const message = `there are several versions of ${declarationLabel(first)} of ${quoted(server)}, so nothing was approved; choose one by its hash: ${hashes}`;
    return { ok: false, code: "AMBIGUOUS", message };
  }
  await store.begin();
  await approvals.append(
    chosen.map((pin) => ({
      type: "config_change",
      source,
      server,
      tool: pin.kind === "tool" ? pin.name : undefined,
      ...authorFields(author),
      reason: decisionText(pin, state),
      changes: `pin of ${declarationLabel(pin)}: ${pin.state} → ${state}`,
      schema_hash: pin.hash,
      previous_schema_hash: pin.previous ?? undefined,
      approvals: approvalDigest(state, server, pin),
    })),
  );
  await store.decide(server, chosen, { state, caller: author.caller });
  return { ok: true, pins: chosen.map((pin) => ({ ...pin, state })), leftAlone };
}

/** Returns a decision about a declaration in one line for people. */
export function decisionText(pin: PinItem, state: ApprovalChange["state"]): string {
  const verb = pin.kind === "instructions" ? "are" : "is";
  return `${declarationLabel(pin)} ${verb} ${state === "approved" ? "approved" : "no longer approved"}`;
}

/** Returns the versions of the first declaration that has several. */
function several(pins: readonly ShownPin[]): readonly ShownPin[] {
  const byKey = new Map<string, ShownPin[]>();
  for (const pin of pins) byKey.set(keyOf(pin), [...(byKey.get(keyOf(pin)) ?? []), pin]);
  return [...byKey.values()].find(({ length }) => length > 1) ?? [];
}

async function missing(
  store: PinStore,
  { server, state }: ApprovalChange,
  same: readonly ShownPin[],
  leftAlone: readonly ShownPin[],
): Promise<string> {
  if (leftAlone.length > 0) {
    return `nothing of ${quoted(server)} is held, so nothing was changed; ${unchangedPinsText(leftAlone)}`;
  }
  const [pin] = same;
  if (pin !== undefined) {
    return `${declarationLabel(pin)} of ${quoted(server)} is ${pin.state} already, so nothing was changed`;
  }
  const what = state === "approved" ? "held" : "approved in the store";
  return (await store.servers()).includes(server)
    ? `nothing of that name or hash of ${quoted(server)} is ${what}, so nothing was changed`
    : unknownDeclarationText(store, server);
}

/** Returns why a declaration is unknown: nothing of its server, or nothing with its name, was ever pinned. */
export async function unknownDeclarationText(store: PinReader, server: string): Promise<string> {
  const servers = await store.servers();
  if (servers.includes(server)) {
    return `nothing of that name or hash of ${quoted(server)} is known: no gateway with these records has seen it with pin on`;
  }
  const known = servers.length === 0 ? "none" : servers.map(quoted).join(", ");
  return `no gateway with these records has pinned a server ${quoted(server)}; the ones that are known: ${known}`;
}

/** Returns which revoked declarations a bulk approval did not change, for people. */
export function unchangedPinsText(pins: readonly ShownPin[]): string {
  const shown = pins.slice(0, MAX_NAMED).map(declarationLabel).join(", ");
  const more = pins.length > MAX_NAMED ? ` and ${pins.length - MAX_NAMED} more` : "";
  const [is, it] = pins.length === 1 ? ["is", "it"] : ["are", "one"];
  return `${shown}${more} ${is} revoked: name ${it} to approve it again`;
}

/** How many declarations a message names. */
const MAX_NAMED = 10;

function quoted(name: string): string {
  return JSON.stringify(name);
}

/** Returns a declaration's name for people. */
export function declarationLabel({ kind, name }: Pick<PinItem, "kind" | "name">): string {
  if (kind === "instructions") return "the instructions";
  return `the ${kind.replace("_", " ")} ${quoted(name)}`;
}

/** The difference of two declarations. */
export interface PinDifference {
  /** As {@link definitionDiff} returns it. */
  readonly diff: string;
  /** The members that differ, as {@link changedMembers} returns them; undefined if there is nothing to compare with. */
  readonly changed: readonly string[] | undefined;
}

/**
 * Returns how a declaration differs from the one that was approved before.
 * @returns undefined if a text is missing
 */
export async function pinDifference(
  store: PinStore,
  server: string,
  { hash, previous }: Pick<ShownPin, "hash" | "previous">,
): Promise<PinDifference | undefined> {
  const texts = await store.texts(server, previous === null ? [hash] : [hash, previous]);
  const now = texts.get(hash);
  const before = previous === null ? undefined : texts.get(previous);
  if (now === undefined || (before === undefined && previous !== null)) return undefined;
  const diff = await threadSlice.take(definitionDiffSteps(before, now));
  return { diff, changed: before === undefined ? undefined : changedMembers(before, now) };
}

/** Returns the difference of {@link pinDifference} alone. */
export async function pinDiff(
  store: PinStore,
  server: string,
  pin: Pick<ShownPin, "hash" | "previous">,
): Promise<string | undefined> {
  return (await pinDifference(store, server, pin))?.diff;
}

type Members = Readonly<Record<string, unknown>>;

function membersIn(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

/** Members of a definition whose own members are named instead. */
const SCHEMAS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema"]);

/** Returns the members of two objects that differ, `inputSchema.required` for those of schemas. */
function differing(before: Members, now: Members, path: string): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted().flatMap((name) => {
    const [old, current] = [before[name], now[name]];
    if (JSON.stringify(old) === JSON.stringify(current)) return [];
    const [inOld, inCurrent] = [membersIn(old), membersIn(current)];
    const isSchema =
      path === "" && SCHEMAS.has(name) && inOld !== undefined && inCurrent !== undefined;
    return isSchema ? differing(inOld, inCurrent, `${name}.`) : [`${path}${name}`];
  });
}

/**
 * Returns the names of the members in which two canonical texts of declarations differ, for people.
 * @returns undefined if that cannot be told: a text is not an object, or only numbers differ that a double cannot hold
 */
export function changedMembers(before: string, now: string): readonly string[] | undefined {
  const [old, current] = [before, now].map((text) => {
    try {
      return membersIn(JSON.parse(text));
    } catch {
      return undefined;
    }
  });
  if (old === undefined || current === undefined) return undefined;
  const found = differing(old, current, "");
  return found.length === 0 && before !== now ? undefined : found;
}
