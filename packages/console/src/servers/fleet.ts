import type { Gateways } from "@touchstone/gateway/api";

/** Describes in a sentence or two how many gateways share the store, and how many differ from this one. */
export function fleetText({ configuration, majority, gateways }: Gateways): string {
  const running = gateways.filter(({ state }) => state === "running").length;
  const others = gateways.filter(({ differs }) => differs).length;
  const head = `${running} ${running === 1 ? "gateway runs" : "gateways run"} with this activity store`;
  if (others === 0) return `${head}, with one configuration.`;
  const odd = `${others} of them with another configuration than this one`;
  const isOdd = majority != null && majority !== configuration;
  return `${head}, ${odd}.${isOdd ? " Most have a different one: this one may need a fix." : ""}`;
}
