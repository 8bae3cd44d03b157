import type { Command } from "commander";

/** Options that apply to a server but not to a file of tools. */
const FOR_SERVER = {
  timeout: "--timeout",
  servers: "--servers",
  header: "--header",
  headerEnv: "--header-env",
} as const;

/** Returns the flags on a command line that do not apply to a file. */
export function serverOnlyFlags(command: Command): readonly string[] {
  const isTyped = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  return Object.entries(FOR_SERVER).flatMap(([name, flag]) => (isTyped(name) ? [flag] : []));
}
