import { Argument, type Command } from "commander";
import { addCommonOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import type { CommandDefinition } from "./definitions.ts";

const EXAMPLES = `
Examples:
  $ source <(touchstone completion bash)    # this shell; put it into ~/.bashrc to keep it
  $ touchstone completion zsh > ~/.zfunc/_touchstone
  $ touchstone completion fish > ~/.config/fish/completions/touchstone.fish
  $ touchstone completion powershell | Out-String | Invoke-Expression

The script holds every command, option and value of this version: Tab starts no program. After an
update, make it again.

Exit status: 0 done; 2 wrong usage.`;

type MakeScript = (commands: readonly CommandDefinition[]) => string;

/** The script generator for each shell. */
const SCRIPTS = {
  bash: async (): Promise<MakeScript> => (await import("./bash.ts")).bashScript,
  zsh: async (): Promise<MakeScript> => (await import("./zsh.ts")).zshScript,
  fish: async (): Promise<MakeScript> => (await import("./fish.ts")).fishScript,
  powershell: async (): Promise<MakeScript> => (await import("./powershell.ts")).powershellScript,
};
export type Shell = keyof typeof SCRIPTS;

/**
 * Adds `touchstone completion`, which covers every command of the program. Its modules are loaded only when it runs.
 */
export function registerCompletion(program: Command, io: CliIo): void {
  const command = program
    .command("completion")
    .summary("print a script that completes commands in your shell")
    .description("Prints a script that completes commands, options and values in a shell.")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", EXAMPLES);
  addCommonOptions(command).action(async (shell: Shell) => {
    io.stdout.write(await completionScript(shell, program));
  });
}

/** Returns a shell script that completes every command of a program without starting a process. */
export async function completionScript(shell: Shell, program: Command): Promise<string> {
  const [script, { commandsOf }] = await Promise.all([
    SCRIPTS[shell](),
    import("./definitions.ts"),
  ]);
  return script(commandsOf(program));
}
