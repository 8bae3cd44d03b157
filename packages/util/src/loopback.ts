import { isIPv4, isIPv6 } from "node:net";

/** Returns whether only this machine can reach an address: `localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  if (isIPv6(host)) return /^(?:0{0,4}:){2,7}0{0,3}1$/.test(host);
  return host.toLowerCase() === "localhost";
}

/** Returns whether only this machine can reach the host of a URL or an authority, which has brackets around IPv6. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
}
