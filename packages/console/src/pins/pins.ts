import { readList, textOf, unexpectedAnswer } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** What names a declaration. */
export interface PinItem {
  readonly server: string;
  /** `tool`, `instructions`, or what else a server declares. */
  readonly kind: string;
  /** Empty for instructions. */
  readonly name: string;
  readonly hash: string;
}

/** A declaration of a server, and what somebody has decided about it. */
export interface Pin extends PinItem {
  /** `approved`, `held` or `revoked`. */
  readonly state: string;
  /** When it was seen first. */
  readonly since: string;
  /** When it was approved or revoked, and by whom. */
  readonly decided: string | null;
  readonly caller: string | null;
  /** Hash of what was approved under its name; null if nothing was. */
  readonly previous: string | null;
}

function readPin(item: unknown): Pin | undefined {
  const [server, kind, name] = [textOf(item, "server"), textOf(item, "kind"), textOf(item, "name")];
  const [hash, state, since] = [textOf(item, "hash"), textOf(item, "state"), textOf(item, "since")];
  if (server === null || kind === null || name === null) return undefined;
  if (hash === null || state === null || since === null) return undefined;
  const decided = { decided: textOf(item, "decided"), caller: textOf(item, "caller") };
  return { server, kind, name, hash, state, since, ...decided, previous: textOf(item, "previous") };
}

/** Reads the response of `GET /api/v1/pins`. */
export function readPins(answer: unknown): readonly Pin[] {
  const pins = readList(answer, readPin);
  if (pins === undefined) throw unexpectedAnswer();
  return pins;
}

/** Reads the response of `GET /api/v1/pins/diff`. */
export function readPinDiff(answer: unknown): { readonly pin: Pin; readonly diff: string | null } {
  const pin = isObject(answer) ? readPin(answer) : undefined;
  if (pin === undefined) throw unexpectedAnswer();
  return { pin, diff: textOf(answer, "diff") };
}

/** What people call a declaration. */
export function labelOf({ kind, name }: Pick<PinItem, "kind" | "name">): string {
  if (kind === "instructions") return "Instructions of the server";
  return kind === "tool" ? name : `${kind.replace("_", " ")} ${name}`;
}

/** The pins of one server, in the order in which somebody has to look at them. */
export interface ServerPins {
  readonly server: string;
  readonly held: readonly Pin[];
  readonly approved: readonly Pin[];
  readonly revoked: readonly Pin[];
}

/** Groups pins by their server; those with something to decide come first. */
export function byServer(pins: readonly Pin[]): readonly ServerPins[] {
  const servers = [...new Set(pins.map(({ server }) => server))];
  return servers
    .map((server) => {
      const of = pins.filter((pin) => pin.server === server);
      return {
        server,
        held: of.filter(({ state }) => state === "held"),
        approved: of.filter(({ state }) => state === "approved"),
        revoked: of.filter(({ state }) => state !== "held" && state !== "approved"),
      };
    })
    .sort((a, b) => Number(b.held.length > 0) - Number(a.held.length > 0));
}
