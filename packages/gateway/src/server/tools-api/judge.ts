import type { CallToJudge, HostJudgement } from "@touchstone/http";
import type { Caller } from "../../features/caller.ts";
import { effectiveCheck, type PayloadDecision, repairedText } from "../../pipeline/decided.ts";
import { type LearnedServer, learnTools } from "../learn-tools.ts";

/**
 * Decides about the arguments of a call for the tool API, by `strict`. If only the repairs that the client asks for
 * make the call pass, the decision is the one without them, and the repair is a proposal.
 *
 * The pipeline checks a call that is sent again, by the mode of the server: under `warn` it would forward what this one
 * refuses. `/validate` asks for this decision about calls that are not sent, so it cannot come from the pipeline.
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
    // What is blocked before or after the check by the schema is refused, and recorded, by the pipeline.
    isHandled: decided.decision !== "blocked" || decided.judged?.verdict.decision !== "blocked",
  };
}
