import { adapt } from "./adapt/list-step.ts";
import { advertise } from "./advertise/list-step.ts";
import { LIST_STEP_NAMES, type ListStepName } from "./list.ts";
import type { ListStep } from "./list-step.ts";
import { pin } from "./pin/list-step.ts";
import { allow } from "./tool-lists/list-step.ts";

const STEPS: Readonly<Record<ListStepName, ListStep>> = { pin, allow, advertise, adapt };

/** The steps that change a tool list, in their order. */
export const LIST_STEPS: readonly ListStep[] = LIST_STEP_NAMES.map((name) => STEPS[name]);
