import type { CallToJudge, HostJudgement } from "@touchstone/http";
import type { Caller } from "../../features/caller.ts";
import { effectiveCheck, type PayloadDecision, repairedText } from "../../pipeline/decided.ts";
import { type LearnedServer, learnTools } from "../learn-tools.ts";

/**
 * Decides about the arguments of a call for the tool API, by `strict`. If the call is valid only with the repairs
 * that the client asks for, returns the decision without them, and the repair as a proposal.
 *
 * When the call is sent, the pipeline checks it again by the mode of the server: in `warn` it would forward a call
 * that this function refuses. `/validate` needs this decision for calls that are not sent, so it cannot come from the
 * pipeline.
 */
export async function decideForToolsApi(
  { runtime, ...learning }: LearnedServer,
  { tool, body, repair }: CallToJudge,
  caller: Caller | undefined,
): Promise<HostJudgement> {
  await learnTools({ runtime, ...learning }, tool);
  const decide = async (asked: CallToJudge["repair"]): Promise<PayloadDecision> => {
    const decision = runtime.decision({ by: "strict", caller });
    const decided = await decision.arguments({ tool, arguments: body, repair: asked });
    await decision.end();
    return decided;
  };
  const decided = await decide([]);
  const isHelped = repair.length > 0 && decided.decision === "blocked";
  const asked = isHelped ? await decide(repair) : decided;
  return {
    decision: decided.decision,
    check: effectiveCheck(decided),
    schemaWarnings: () => runtime.catalogue.newest(tool)?.input?.warnings ?? [],
    repaired: repairedText(asked),
    // If the call is blocked before or after the check by the schema, the pipeline refuses and records it.
    isHandled: decided.decision !== "blocked" || decided.judged?.verdict.decision !== "blocked",
  };
}
