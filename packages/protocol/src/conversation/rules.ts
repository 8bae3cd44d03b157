import { CAPABILITIES } from "./rules/capabilities.ts";
import { LIFECYCLE } from "./rules/lifecycle.ts";
import { PROGRESS } from "./rules/progress.ts";
import { REQUESTS } from "./rules/requests.ts";
import type { ConversationRule } from "./rules/rule.ts";
import { SUBSCRIPTIONS } from "./rules/subscriptions.ts";
import { TASKS } from "./rules/tasks.ts";

/** Every checked rule between messages, with the section that it comes from. */
export const RULES: readonly ConversationRule[] = [
  ...PROGRESS,
  ...LIFECYCLE,
  ...REQUESTS,
  ...SUBSCRIPTIONS,
  ...CAPABILITIES,
  ...TASKS,
];
