import { type Command, InvalidArgumentError } from "commander";
import { addStoreOption } from "../activity/filters.ts";
import type { ActivityIo } from "../activity/options.ts";
import { addCommonOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";

const EXAMPLES = `
Examples:
  $ touchstone approve crm --list            # the state of each declaration, and what has changed
  $ touchstone approve crm find_contact
  $ touchstone approve crm                   # everything that is held or recorded, and nothing that is revoked
  $ touchstone approve crm find_contact --reason "new optional argument, see ticket 12"
  $ touchstone approve crm find_contact --revoke

It takes effect with the next call, at all gateways that share the records, without a restart. Each
approval is a record with your user name and the reason. A gateway holds tools back if pin is strict for the server.

States: held (not approved; blocked if pin is strict), revoked (the same, until you approve it by name or hash),
approved, and recorded (a prompt or resource template that is not approved; these are never held back).

Exit status: 0 done, or listed; 1 nothing of that name or hash is held (with --list: is known), or several
versions are held; 2 wrong usage; 3 the records cannot be read or written.`;

/** Adds `touchstone approve`. Its modules are loaded only when it runs. */
export function registerApprove(program: Command, io: ActivityIo): void {
  const approve = program
    .command("approve")
    .summary("approve tools that are held because they are new or have changed")
    .description(
      "Approves what a server declares now, so that calls of it are sent: one tool, or all that is held or recorded.",
    )
    .argument("<server>", "the name that the server has in its records", named)
    .argument("[tool]", "only this tool", named)
    .option("--hash <hash>", "only the version with this hash, or the start of it", named)
    .option("--instructions", "only the server's instructions")
    .option("--reason <text>", "the reason, for the record of the approval", named)
    .option("--list", "print the state of each declaration, and change nothing")
    .option("--revoke", "withdraw approvals instead")
    .addHelpText("after", EXAMPLES);
  addOutput(addStoreOption(approve), ["pretty", "json"]);
  addCommonOptions(approve).action(
    async (server: string, tool: string | undefined, _options: unknown, command: Command) => {
      const { runApprove } = await import("./run-approve.ts");
      await runApprove(server, tool, command.optsWithGlobals(), io);
    },
  );
}

function named(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
