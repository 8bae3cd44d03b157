import { announcesTasks, type Frame } from "@touchstone/protocol";

/**
 * Whether results may be tasks of the extension `io.modelcontextprotocol/tasks` (SEP-2663) up to
 * 2025-11-25, too, whose own tasks are others. From 2026-07-28 on nothing has to be agreed on before.
 */
export class TasksExtension {
  #client: boolean | undefined;
  #server: boolean | undefined;

  /** Takes note of what `initialize`, or the answer to it, announces. */
  handshake(frame: Frame): void {
    if (frame.kind === "response") this.#server = announcesTasks(frame);
    else this.#client = announcesTasks(frame);
  }

  /** Both sides have announced it, or a handshake that was not seen may have. */
  get agreed(): boolean {
    return this.#client !== false && this.#server !== false;
  }
}
