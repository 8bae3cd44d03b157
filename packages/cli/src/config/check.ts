import { ignoredKeyHint } from "@touchstone/gateway/config";
import type { ServeOptions } from "../common-options.ts";
import { configurationFiles, configuredGateway } from "../configured.ts";
import { CliExit, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { forLeftOut } from "../left-out.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";

/**
 * Reads the configuration as `serve` would and says what it found.
 * @throws ConfigError with all faults
 */
export function runConfigCheck(options: ServeOptions, io: CliIo): void {
  const files = configurationFiles(options);
  if (files.length === 0) {
    throw new CliExit(EXIT_USAGE, "config check needs a FILE, or --servers FILE");
  }
  const { servers, ignoredKeys, leftOut } = configuredGateway(options, io.env);
  const enabled = servers.filter(({ disabled }) => !disabled).length;
  const off = servers.length - enabled;
  const out = leftOut.length === 0 ? [] : [`${leftOut.length} left out`];
  const count = [counted(enabled, "server"), ...(off === 0 ? [] : [`${off} disabled`]), ...out];
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
