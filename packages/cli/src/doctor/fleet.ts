import { messageOf } from "@touchstone/core/advanced";
import type { ComparedGateway, Fleet } from "@touchstone/gateway";
import type { GatewayConfig } from "@touchstone/gateway/config";
import { safeText } from "../terminal/safe-text.ts";

/** The gateways that share the configured store; or why they are unknown. */
export type FleetFindings = Fleet | { readonly unreachable: string };

/**
 * Returns the gateways that use the configured store, compared with the configuration. Undefined if the store is not
 * a PostgreSQL database: then no other machine shares it.
 */
export async function examineFleet(config: GatewayConfig): Promise<FleetFindings | undefined> {
  const { store } = config.activity;
  if (store === undefined) return undefined;
  const { compareGateways, configurationHash, readGateways } = await import("@touchstone/gateway");
  try {
    return compareGateways(await readGateways(store), configurationHash(config));
  } catch (error) {
    return { unreachable: messageOf(error) };
  }
}

/** Returns why the gateways need attention, in one line; undefined if they do not. */
export function fleetTrouble(fleet: FleetFindings): string | undefined {
  if ("unreachable" in fleet) return fleet.unreachable;
  const others = fleet.gateways.filter(({ differs }) => differs);
  if (others.length === 0) return undefined;
  const names = others.map(({ host, listen }) => `${host} (${listen})`).join(", ");
  return `${others.length} of ${fleet.gateways.length} gateways with another configuration: ${names}`;
}

/** Returns the text for people: one line for all gateways, and one for each. */
export function fleetText(fleet: FleetFindings): string {
  // The reason is reported at the end, with the other faults.
  if ("unreachable" in fleet) return "gateways: unknown, because the activity store fails\n";
  const { configuration, majority, gateways } = fleet;
  const running = gateways.filter(({ state }) => state === "running").length;
  const lines = [
    `gateways: ${running} running with this activity store, this configuration is ${short(configuration)}`,
    ...gateways.map((gateway) => gatewayLine(gateway, configuration)),
  ];
  if (majority !== null && majority !== configuration) {
    lines.push(`  ! most of them have ${short(majority)}: the file here may be the wrong one`);
  }
  return `${lines.join("\n")}\n`;
}

function gatewayLine(gateway: ComparedGateway, wanted: string): string {
  const { host, listen, version, configuration, startedAt, seenAt, state, differs } = gateway;
  const who = `${safeText(host)} ${safeText(listen)}, touchstone ${safeText(version)}`;
  if (state === "silent") {
    return `    ${who}: silent since ${seenAt}, it was killed or is cut off from the store`;
  }
  const since = `running since ${startedAt}`;
  if (!differs) return `    ${who}: ${since}, the same configuration hash`;
  return `  ! ${who}: ${since}, configuration ${short(configuration)} and not ${short(wanted)}`;
}

/** Returns a prefix of a hash that is long enough to distinguish it. */
function short(hash: string): string {
  return safeText(hash.slice(0, 19));
}
