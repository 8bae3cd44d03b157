import { Argument, type Command } from "commander";
import { addCommonOptions } from "../common-options.ts";
import type { CliIo } from "../io.ts";

const EXAMPLES = `
Examples:
  $ source <(touchstone completion bash)    # this shell; put it into ~/.bashrc to keep it
  $ touchstone completion zsh > ~/.zfunc/_touchstone
  $ touchstone completion fish > ~/.config/fish/completions/touchstone.fish
  $ touchstone completion powershell | Out-String | Invoke-Expression

The script holds every command, option and value of this version: Tab starts no program. After an
update, make it again.

Exit status: 0 done; 2 wrong usage.`;

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Adds `touchstone completion`, which describes every command of the program. What it needs is loaded when it runs. */
export function registerCompletion(program: Command, io: CliIo): void {
  const command = program
    .command("completion")
    .summary("print a script that completes commands in your shell")
    .description("Prints a script that completes commands, options and values in a shell.")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .addHelpText("after", EXAMPLES);
  addCommonOptions(command).action(async (shell: (typeof SHELLS)[number]) => {
    const { completionScript } = await import("./script.ts");
    io.stdout.write(completionScript(shell, program));
  });
}
