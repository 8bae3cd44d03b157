import type { Command } from "commander";
import { bashScript } from "./bash.ts";
import { type CommandDefinition, commandsOf } from "./definitions.ts";
import { fishScript } from "./fish.ts";
import { powershellScript } from "./powershell.ts";
import { zshScript } from "./zsh.ts";

type Shell = "bash" | "zsh" | "fish" | "powershell";

const SCRIPTS: Readonly<Record<Shell, (program: CommandDefinition) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** Returns a script for a shell that completes every command of a program, and starts nothing to do so. */
export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](commandsOf(program));
}
