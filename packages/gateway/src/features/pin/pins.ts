import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { messageOf } from "@touchstone/core/advanced";
import {
  approves,
  definitionSteps,
  type HashedDefinition,
  type LockedDefinition,
  type LockedServer,
} from "@touchstone/protocol/lock";
import {
  MAX_PINNED_TEXT,
  type Pin,
  type PinItem,
  type PinKind,
  type PinnedText,
  type PinSet,
  type PinStore,
  type UnapprovedText,
} from "@touchstone/records/plain";
import { BoundedMap, type Logger, threadSlice, valueOrTimeout } from "@touchstone/util";
import type { ListApprovals, PinChange } from "../../contracts/approvals.ts";
import type { ToolContract } from "../../contracts/contract.ts";
import { type NewDeclarations, pinChangeSteps } from "./pin-changes.ts";
import { type PinSettings, TRUST_ON_FIRST_USE } from "./pin-settings.ts";
import { readLocked } from "./read-lock.ts";

/** How long a message waits for the approvals, in milliseconds. Busy disks take seconds. */
const PATIENCE_MS = 5_000;
/** How many messages to remember as reported. */
const MAX_TOLD = 1_000;
/** Lists that are read page by page at a time, and prompts or resource templates of one that are kept. */
const MAX_LISTS = 8;
const MAX_DECLARED = 10_000;
/** How often the approvals are read while a session waits for a change of them, in milliseconds. */
const WATCH_MS = 2_000;
/** Lock files of this many bytes or more are not read. */
const MAX_LOCK = 67_108_864;

/**
 * The state of a declaration.
 *
 * - `approved`: it may be used
 * - `held`: it is not approved
 * - `revoked`: its approval was withdrawn
 * - `first`: the server's first declarations are approved once all of them are known, which they are not yet
 * - `unknown`: the approvals cannot be read
 */
export interface Approval {
  readonly state: "approved" | "held" | "revoked" | "first" | "unknown";
  /** Hash of the last approved declaration of this name; undefined if there is none. */
  readonly previous?: string | undefined;
  /** Why the approvals cannot be read. */
  readonly reason?: string | undefined;
}

export interface PinsParts {
  readonly server: string;
  /** The current settings; undefined if nothing is pinned. */
  readonly settings: () => PinSettings | undefined;
  readonly store: PinStore;
  readonly log: Logger;
}

interface ReadFile {
  readonly path: string;
  /** Identifies the file's content when it was read; empty if it could not be. */
  readonly stamp: string;
  /** Undefined if the file does not have the server, or could not be read. */
  readonly locked: LockedServer | undefined;
  /** The server's instructions in it, if it has some. */
  readonly instructions?: Locked | undefined;
}

/** What a lock file has under a name. */
type Locked = HashedDefinition & Pick<LockedDefinition, "alsoApproved">;

const KINDS = {
  tool: "tools",
  prompt: "prompts",
  resource_template: "resourceTemplates",
} as const;

/**
 * The approvals of one server: those in its lock file or of its first declarations, and later approvals and
 * revocations. They are read again before each decision, so that all gateways on one store decide alike at any time.
 */
export class Pins implements ListApprovals {
  readonly #parts: PinsParts;
  #known: PinSet | undefined;
  #byName: ReadonlyMap<string, readonly Pin[]> = new Map();
  /** What somebody has decided about tools, as a digest. */
  #decisions: string | undefined;
  #file: ReadFile | undefined;
  /** Why the approvals cannot be read; undefined while they can. */
  #failure: string | undefined = "they have not been read yet";
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #told: string | undefined;
  readonly #tellings: BoundedMap<string, true> = new BoundedMap(MAX_TOLD);
  /** The pages so far of lists of prompts and resource templates, by kind and the cursor that continues them. */
  readonly #pages: BoundedMap<string, readonly PinnedText[]> = new BoundedMap(MAX_LISTS);
  /** Whether watchers must be called for what was read. */
  #isChanged = false;
  readonly #watchers: Set<() => void> = new Set();
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: PinsParts) {
    this.#parts = parts;
  }

  /** Whether anything is pinned now. */
  get isOn(): boolean {
    return this.settings.mode !== "off";
  }

  get settings(): PinSettings {
    return this.#parts.settings() ?? { mode: "off" };
  }

  /**
   * Reads the approvals, in a read that begins after this call. Resolves when they are read, cannot be read, or take
   * too long; {@link of} then reports which. Never rejects.
   */
  refresh(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#bounded(() => this.#read()).finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  /**
   * Calls back after tools were approved, or approvals withdrawn, here or by another process, or can be read again,
   * while `strict` holds tools back.
   * @returns ends it
   */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    this.#watch ??= setInterval(() => {
      if (this.settings.mode === "strict") void this.refresh();
    }, WATCH_MS).unref();
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    };
  }

  #tellWatchers(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    if (this.settings.mode === "strict") for (const changed of this.#watchers) changed();
  }

  /** Returns the state of a declaration, as {@link refresh} last read it. */
  of({ kind, name, hash }: PinItem): Approval {
    const { lock } = this.settings;
    if (this.#failure !== undefined || this.#known === undefined) {
      return { state: "unknown", reason: this.#failure };
    }
    const same = this.#byName.get(keyOf(kind, name)) ?? [];
    const own = same.find((pin) => pin.hash === hash)?.state;
    // A decision about this exact declaration overrules a file.
    if (own === "revoked") return { state: "revoked" };
    if (own === "approved") return { state: "approved" };
    const locked = this.#locked(kind, name);
    const approved = same.filter((pin) => pin.state === "approved");
    const last = approved.toSorted((a, b) => ((a.decided ?? "") < (b.decided ?? "") ? 1 : -1))[0];
    const previous = last?.hash ?? locked?.hash;
    if (lock !== TRUST_ON_FIRST_USE) {
      return approves(locked, hash) ? { state: "approved" } : { state: "held", previous };
    }
    return this.#known.firstUse.has(kind) ? { state: "held", previous } : { state: "first" };
  }

  /** Changes whenever {@link of} may return something else. */
  get version(): string {
    const { lock } = this.settings;
    return JSON.stringify([lock, this.#known?.version, this.#file?.stamp, this.#failure]);
  }

  /** Whether the first declarations of a kind still wait for approval, as far as known. */
  needsFirst(kind: PinKind): boolean {
    return this.settings.lock === TRUST_ON_FIRST_USE && this.#known?.firstUse.has(kind) !== true;
  }

  /**
   * Takes a server's list: approves it if it is the first one, and keeps unapproved tools. Never rejects.
   * @param tools those of this page
   * @param whole the tools of the whole list, once known
   * @returns tools that no gateway has seen before
   */
  async listed(
    tools: readonly ToolContract[],
    whole: readonly ToolContract[] | undefined,
  ): Promise<readonly PinChange[]> {
    if (!this.isOn) return [];
    await this.refresh();
    const items = await threadSlice.take(itemSteps(tools));
    return this.#settle("tool", items, whole && (await threadSlice.take(itemSteps(whole))));
  }

  /** Does the same for the server's instructions; undefined if it has none. */
  async introduced(instructions: HashedDefinition | undefined): Promise<readonly PinChange[]> {
    if (!this.isOn) return [];
    await this.refresh();
    const items = instructions === undefined ? [] : [instructionsItem(instructions)];
    return this.#settle("instructions", items, items);
  }

  /**
   * Does the same for a page of prompts or resource templates. They are recorded, and never held back.
   * @param from the cursor that the page was asked for by; undefined for the beginning of the list
   * @param next the cursor under which the list continues
   */
  async declared(
    kind: "prompt" | "resource_template",
    page: readonly PinnedText[],
    { from, next }: { readonly from: string | undefined; readonly next: string | undefined },
  ): Promise<readonly PinChange[]> {
    if (!this.isOn) return [];
    await this.refresh();
    // A file that only locks tools does not decide about prompts.
    if (this.#lockedServer !== undefined && this.#lockedServer[KINDS[kind]] === undefined)
      return [];
    const before = from === undefined ? [] : this.#pages.take(keyOf(kind, from));
    const all = before && [...before, ...page].slice(0, MAX_DECLARED);
    if (all !== undefined && next !== undefined) this.#pages.set(keyOf(kind, next), all);
    return this.#settle(kind, page, next === undefined ? all : undefined);
  }

  /** Returns the approval of instructions, as {@link of} does. */
  ofInstructions(instructions: HashedDefinition): Approval {
    return this.of(instructionsItem(instructions));
  }

  /** Returns whether a tool was first seen after a time and held back then, so that a record of it exists. */
  isRecorded({ name, hash }: Pick<PinItem, "name" | "hash">, after: string): boolean {
    const own = this.#byName.get(keyOf("tool", name))?.find((pin) => pin.hash === hash);
    // A tool that is approved without being held back first gets both times at once.
    return own !== undefined && own.since > after && own.since !== own.decided;
  }

  /** Returns whether something is reported for the first time, and remembers it. */
  tells(what: string): boolean {
    if (this.#tellings.has(what)) return false;
    this.#tellings.set(what, true);
    return true;
  }

  async #settle(
    kind: PinKind,
    items: readonly PinnedText[],
    whole: readonly PinnedText[] | undefined,
  ): Promise<readonly PinChange[]> {
    const { server, store } = this.#parts;
    if (this.#failure === undefined && this.needsFirst(kind)) {
      if (whole === undefined) return [];
      await this.#bounded(async () => void (await store.firstUse(server, kind, whole)));
      // Another gateway may have stored a different list first.
      if (this.#failure === undefined) await this.refresh();
    }
    const seen = await threadSlice.take(this.#heldSteps(items));
    if (seen.length === 0) return [];
    let changes: NewDeclarations = { fresh: [], previous: [], texts: new Map() };
    await this.#bounded(async () => {
      const fresh = await store.saw(server, seen);
      const previous = fresh.map((item) => this.of(item).previous);
      const texts = await store.texts(
        server,
        previous.filter((hash) => hash !== undefined),
      );
      changes = { fresh, previous, texts };
    });
    const found = await threadSlice.take(pinChangeSteps(kind, changes));
    if (found.length > 0) await this.refresh();
    return found;
  }

  /** Returns the items that are held back and have no row yet, with what the lock file has instead. */
  *#heldSteps(items: readonly PinnedText[]): Generator<void, readonly UnapprovedText[], void> {
    const seen: UnapprovedText[] = [];
    for (const [at, item] of items.entries()) {
      if (at % STEP_PINS === STEP_PINS - 1) yield;
      if (this.of(item).state !== "held" || this.#isKept(item)) continue;
      seen.push({ ...item, locked: this.#lockedBefore(item) });
    }
    return seen;
  }

  #isKept({ kind, name, hash }: PinItem): boolean {
    return this.#byName.get(keyOf(kind, name))?.some((pin) => pin.hash === hash) === true;
  }

  /** What the lock file has of the server. */
  get #lockedServer(): LockedServer | undefined {
    return this.settings.lock === this.#file?.path ? this.#file?.locked : undefined;
  }

  #locked(kind: PinKind, name: string): Locked | undefined {
    const locked = this.#lockedServer;
    if (locked === undefined) return undefined;
    return kind === "instructions" ? this.#file?.instructions : locked[KINDS[kind]]?.get(name);
  }

  /** What the lock file has under an item's name, if the item is compared with the file. */
  #lockedBefore(item: PinItem): Locked | undefined {
    const locked = this.#locked(item.kind, item.name);
    return locked?.hash === this.of(item).previous ? locked : undefined;
  }

  async #read(): Promise<void> {
    const { server, store } = this.#parts;
    const { lock } = this.settings;
    const [set] = await Promise.all([
      store.read(server, this.#known?.version),
      lock === undefined || lock === TRUST_ON_FIRST_USE ? undefined : this.#readLock(lock),
    ]);
    if (set === undefined) return;
    const byName = await threadSlice.take(byNameSteps(set));
    const decisions = await threadSlice.take(decisionSteps(set));
    const [before, decidedBefore] = [this.#known, this.#decisions];
    this.#known = set;
    this.#byName = byName;
    this.#decisions = decisions;
    // The first list of a server was never held back.
    if (before === undefined || before.firstUse.has("tool") !== set.firstUse.has("tool")) return;
    if (decidedBefore !== decisions) this.#isChanged = true;
  }

  /** @throws Error with what is wrong with the file */
  async #readLock(path: string): Promise<void> {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    const stamp = [mtimeMs, ctimeMs, size, ino].join(" ");
    const isKnown = this.#file?.path === path;
    if (isKnown && this.#file?.stamp === stamp) return;
    // Approves nothing until it can be read.
    this.#file = { path, stamp: "", locked: undefined };
    if (size > MAX_LOCK) throw new Error(`${path} has more than ${MAX_LOCK} bytes`);
    const locked = await readLocked(path, this.#parts.server, size);
    this.#file = { path, stamp, locked, instructions: await instructionsIn(locked) };
    if (isKnown) this.#isChanged = true;
  }

  /** Does work in the store, with a time limit. If it fails or hangs, nothing is approved. */
  async #bounded(work: () => Promise<void>): Promise<void> {
    const { log, server } = this.#parts;
    try {
      await valueOrTimeout(PATIENCE_MS, work(), () => {
        throw new Error("the store of the approvals does not respond");
      });
      if (this.#told !== undefined) {
        log.info("approvals can be read again", { server });
        // Lists that clients got in the meantime lack all tools.
        this.#isChanged = true;
      }
      this.#told = undefined;
      this.#failure = undefined;
      this.#tellWatchers();
    } catch (error) {
      const reason = messageOf(error);
      this.#failure = reason;
      if (this.#told === reason) return;
      this.#told = reason;
      const so = this.settings.mode === "strict" ? "calls are blocked" : "calls are forwarded";
      log.error(`approvals of tools cannot be read, so ${so}`, { server, reason });
    }
  }
}

async function instructionsIn(locked: LockedServer | undefined): Promise<Locked | undefined> {
  const text = locked?.instructions;
  if (typeof text !== "string") return undefined;
  const steps = definitionSteps(JSON.stringify(text), MAX_PINNED_TEXT);
  return { ...(await threadSlice.take(steps)), alsoApproved: [] };
}

function* itemSteps(tools: readonly ToolContract[]): Generator<void, readonly PinnedText[], void> {
  const items: PinnedText[] = [];
  for (const [at, { name, definition }] of tools.entries()) {
    if (at % STEP_PINS === STEP_PINS - 1) yield;
    if (definition === undefined) continue;
    items.push({ kind: "tool", name, hash: definition.hash, text: definition.text });
  }
  return items;
}

function instructionsItem({ hash, text }: HashedDefinition): PinnedText {
  return { kind: "instructions", name: "", hash, text };
}

/** How many approvals to read in one step: a server may have thousands. */
const STEP_PINS = 500;

/** Returns approvals by kind and name. */
function* byNameSteps({
  pins,
}: PinSet): Generator<void, ReadonlyMap<string, readonly Pin[]>, void> {
  const byName = new Map<string, Pin[]>();
  for (const [at, pin] of pins.entries()) {
    if (at % STEP_PINS === STEP_PINS - 1) yield;
    const key = keyOf(pin.kind, pin.name);
    const same = byName.get(key);
    if (same === undefined) byName.set(key, [pin]);
    else same.push(pin);
  }
  return byName;
}

/** Returns a digest of what somebody has decided about tools. */
function* decisionSteps({ pins }: PinSet): Generator<void, string, void> {
  const digest = createHash("sha256");
  for (const [at, { kind, name, hash, state }] of pins.entries()) {
    if (at % STEP_PINS === STEP_PINS - 1) yield;
    if (kind === "tool" && state !== "held") digest.update(JSON.stringify([name, hash, state]));
  }
  return digest.digest("base64");
}

function keyOf(kind: PinKind, name: string): string {
  return `${kind}\n${name}`;
}
