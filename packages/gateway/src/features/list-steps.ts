import { adaptListStep } from "./adapt/list-step.ts";
import { advertiseListStep } from "./advertise/list-step.ts";
import { LIST_STEP_NAMES, type ListStepName } from "./list.ts";
import type { ListStep } from "./list-step.ts";
import { pinListStep } from "./pin/list-step.ts";
import { allowListStep } from "./tool-lists/list-step.ts";

const STEPS: Readonly<Record<ListStepName, ListStep>> = {
  pin: pinListStep,
  allow: allowListStep,
  advertise: advertiseListStep,
  adapt: adaptListStep,
};

/** The steps that change a tool list, in their order. */
export const LIST_STEPS: readonly ListStep[] = LIST_STEP_NAMES.map((name) => STEPS[name]);
