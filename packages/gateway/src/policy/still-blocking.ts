import { plural } from "@touchstone/util/plural";
import {
  BLOCKING_NOUNS,
  blockingTexts,
  countBlockingSettings,
  type ServerAndToolSettings,
} from "../features/blocking.ts";

const NONE = `no ${BLOCKING_NOUNS.join(", ")}, or restriction of a caller is set that would block`;

/** What a key or token may call; what is absent is not restricted. */
interface Rights {
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
  readonly limits?: object;
  readonly serversClaim?: string;
  readonly toolsClaim?: string;
}

/** The callers of a gateway, as far as they are restricted. */
export interface CallerRules {
  readonly keys?: readonly (Rights & { readonly name: string })[];
  readonly jwt?: Rights;
}

/** The settings that still block while checks are paused, as numbers. */
export interface StillBlocking extends ReturnType<typeof countBlockingSettings> {
  /** Callers whose key restricts what they may call, or how often; access tokens that are restricted count as one. */
  readonly callers: number;
}

/**
 * Counts what still blocks while the checks of servers are paused.
 * @param pausesPolicy whether policy and narrow are paused as well
 */
export function stillBlocking(
  servers: readonly ServerAndToolSettings[],
  pausesPolicy: boolean,
  { keys = [], jwt }: CallerRules,
): StillBlocking {
  const restricted = new Set(keys.filter(isRestricted).map(({ name }) => name)).size;
  const tokens = jwt !== undefined && isRestricted(jwt) ? 1 : 0;
  return { ...countBlockingSettings(servers, pausesPolicy), callers: restricted + tokens };
}

function isRestricted(rights: Rights): boolean {
  const { servers, tools, readOnly = false, limits, serversClaim, toolsClaim } = rights;
  const others = [servers, tools, limits, serversClaim, toolsClaim];
  return readOnly || others.some((value) => value !== undefined);
}

/**
 * Returns what still blocks during a pause, as the end of a sentence for people.
 * @param isOfServer whether all numbers are for one server, which the reader already sees
 */
export function stillBlockingText(
  { callers, ...counts }: StillBlocking,
  isOfServer: boolean = false,
): string {
  const parts = [
    ...blockingTexts(counts, isOfServer),
    ...(callers === 0 ? [] : [`restrictions of ${plural(callers, "caller")}`]),
  ];
  return parts.length === 0 ? NONE : `these still block: ${parts.join(", ")}`;
}
