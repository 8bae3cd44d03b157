import { readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** A gateway that keeps its records in the same store. */
export interface SharingGateway {
  readonly id: string;
  readonly host: string;
  readonly listen: string;
  readonly version: string;
  /** `running` or `silent`. */
  readonly state: string;
  readonly startedAt: string | null;
  readonly seenAt: string | null;
  readonly configuration: string;
  /** Whether its configuration differs from that of the gateway that was asked. */
  readonly differs: boolean;
}

/** The gateways that share a store, as `GET /api/v1/gateways` reports them. */
export interface Fleet {
  /** Hash of the configuration of the gateway that was asked. */
  readonly configuration: string;
  /** Hash that most of the gateways have; null if there is no majority. */
  readonly majority: string | null;
  readonly gateways: readonly SharingGateway[];
}

function readGateway(item: unknown): SharingGateway | undefined {
  const [id, host] = [textOf(item, "id"), textOf(item, "host")];
  if (!isObject(item) || id === null || host === null) return undefined;
  return {
    id,
    host,
    listen: textOf(item, "listen") ?? "",
    version: textOf(item, "version") ?? "",
    state: textOf(item, "state") ?? "unknown",
    startedAt: textOf(item, "startedAt"),
    seenAt: textOf(item, "seenAt"),
    configuration: textOf(item, "configuration") ?? "",
    differs: item["differs"] === true,
  };
}

/** Reads the API's response; undefined if no store is shared. */
export function readFleet(answer: unknown): Fleet | undefined {
  const gateways = isObject(answer) ? readList(answer["gateways"], readGateway) : undefined;
  if (!isObject(answer) || answer["shared"] !== true || gateways === undefined) return undefined;
  const configuration = textOf(answer, "configuration") ?? "";
  return { configuration, majority: textOf(answer, "majority"), gateways };
}

/** Describes in a sentence or two how many gateways share the store, and how many differ from this one. */
export function fleetText({ configuration, majority, gateways }: Fleet): string {
  const running = gateways.filter(({ state }) => state === "running").length;
  const others = gateways.filter(({ differs }) => differs).length;
  const head = `${running} ${running === 1 ? "gateway runs" : "gateways run"} with this activity store`;
  if (others === 0) return `${head}, with one configuration.`;
  const odd = `${others} of them with another configuration than this one`;
  const isOdd = majority !== null && majority !== configuration;
  return `${head}, ${odd}.${isOdd ? " Most have a different one: this one may need a fix." : ""}`;
}
