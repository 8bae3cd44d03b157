import { ignoredKeyHint } from "@touchstone/gateway/config";
import type { ServeOptions } from "../common-options.ts";
import { configurationFiles, configuredGateway } from "../configured.ts";
import { noConfig, withFoundConfig } from "../default-config.ts";
import type { CliIo } from "../io.ts";
import { forLeftOut } from "../left-out.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";

/**
 * Reads the configuration as `serve` would and says what it found.
 * @throws ConfigError with all faults
 */
export function runConfigCheck(given: ServeOptions, io: CliIo): void {
  const options = withFoundConfig(given, "project", io);
  const files = configurationFiles(options);
  if (files.length === 0) throw noConfig("config check", io.env);
  const { servers, ignoredKeys, leftOut } = configuredGateway(options, io.env);
  const enabled = servers.filter(({ disabled }) => !disabled).length;
  const wrapped = servers.filter(({ upstream }) => upstream.type === "wrap").length;
  const off = servers.length - enabled - wrapped;
  const out = leftOut.length === 0 ? [] : [`${leftOut.length} left out`];
  const count = [
    counted(enabled, "server"),
    ...(off === 0 ? [] : [`${off} disabled`]),
    ...(wrapped === 0 ? [] : [`settings of ${wrapped} wrapped`]),
    ...out,
  ];
  const verdict = leftOut.length === 0 ? "nothing wrong" : "can be served in part";
  io.stdout.write(`${files.map(safeText).join(", ")}: ${verdict} (${count.join(", ")})\n`);
  forLeftOut(
    leftOut,
    ({ name }, why) => io.stdout.write(`  left out: ${safeText(name)}: ${safeText(why)}\n`),
    (more) => io.stdout.write(`  and ${more} more are left out\n`),
  );
  for (const key of ignoredKeys) {
    io.stdout.write(`  not read: ${safeText(key)}${ignoredKeyHint(key)}\n`);
  }
}
