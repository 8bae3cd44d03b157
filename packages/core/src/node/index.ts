export { DeadlineError } from "../schema/deadline.ts";
export { nodeDeadline } from "./deadline.ts";
