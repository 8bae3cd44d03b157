import { readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** An entry of a client's file that the gateway does not serve. */
export interface LeftOut {
  readonly server: string;
  readonly reason: string;
}

function readEntry(item: unknown): LeftOut | undefined {
  const [server, reason] = [textOf(item, "server"), textOf(item, "reason")];
  return server === null || reason === null ? undefined : { server, reason };
}

/**
 * Reads the entries that are not served from the response of `GET /api/v1/settings`; empty if it does not report
 * them.
 */
export function readLeftOut(settings: unknown): readonly LeftOut[] {
  const configuration = isObject(settings) ? settings["configuration"] : undefined;
  return isObject(configuration) ? (readList(configuration["leftOut"], readEntry) ?? []) : [];
}
