/**
 * The status of a server.
 *
 * - `idle`: none of its processes runs; it was not used yet, or only contacted to see whether it works
 * - `starting`: one of its processes runs, but none has sent anything yet
 * - `running`: one of its processes runs; or, for a server behind a URL, it responded to its last request
 * - `failed`: it could not be started or reached, or it ended by itself with an error
 * - `stopped`: it ran, and ended gracefully
 */
export type UpstreamState = "idle" | "starting" | "running" | "failed" | "stopped";

/** A server's current state. */
export interface UpstreamHealth {
  readonly state: UpstreamState;
  /** Why it failed; only with `failed`. */
  readonly error?: string;
  /** When the state began; absent while the server is unused. */
  readonly since?: Date;
  /** Child processes that run. */
  readonly children: number;
}

/** Why a child process ended. */
export interface ChildEnd {
  /** One line for people. */
  readonly reason: string;
  readonly exitCode?: number;
  /** Whether the gateway stopped it because it had not left when asked to. */
  readonly stopped?: boolean;
  readonly failedToStart?: boolean;
}

/** Events of one child process. */
export interface ChildWatch {
  /** The process has sent a message. */
  spoke(): void;
  /** @param asked whether the gateway had asked the process to end */
  ended(end: ChildEnd, asked: boolean): void;
}

/** Observes one server over all of its processes and connections. */
export class UpstreamStatus {
  readonly #now: () => Date;
  readonly #failed: (reason: string) => void;
  #health: Omit<UpstreamHealth, "children"> = { state: "idle" };
  /** Whether the server is known to fail. */
  #reported = false;
  #changed: (health: Pick<UpstreamHealth, "state" | "error">) => void = () => {};
  #children = 0;
  #speaking = 0;

  /** @param failed called when the server fails, once until it has worked again */
  constructor(failed: (reason: string) => void = () => {}, now: () => Date = () => new Date()) {
    this.#failed = failed;
    this.#now = now;
  }

  get health(): UpstreamHealth {
    return { ...this.#health, children: this.#children };
  }

  /** Calls back whenever the state or the error changes from now on; replaces an earlier callback. */
  onChange(changed: (health: Pick<UpstreamHealth, "state" | "error">) => void): void {
    this.#changed = changed;
  }

  /** A child process is being started. */
  childStarted(): ChildWatch {
    let spoken = false;
    this.#children += 1;
    if (this.#speaking === 0) this.#become("starting");
    return {
      spoke: () => {
        if (spoken) return;
        spoken = true;
        this.#speaking += 1;
        this.#become("running");
      },
      ended: (end, asked) => {
        this.#children -= 1;
        if (spoken) this.#speaking -= 1;
        const inOrder = asked || end.stopped === true || end.exitCode === 0;
        // While another process serves, the end of this one says nothing about the server.
        if (this.#speaking > 0) return;
        if (this.#children > 0) this.#become("starting");
        else if (inOrder && !end.failedToStart) this.#become("stopped");
        else this.#become("failed", end.failedToStart ? end.reason : `the server ${end.reason}`);
      },
    };
  }

  /**
   * Notes that the server was only contacted to see whether it works, so the graceful end of its process says
   * nothing.
   * @param reason why it does not work
   */
  rested(reason?: string): void {
    if (this.#health.state !== "stopped") return;
    if (reason === undefined) this.#become("idle");
    else this.#become("failed", reason);
  }

  /** A server behind a URL has responded; a status of 500 or more is its own failure. */
  answered(statusCode: number): void {
    if (statusCode < 500) this.#become("running");
    else this.#become("failed", `the server answered with the HTTP status ${statusCode}`);
  }

  /** A server behind a URL was unreachable. */
  unreachable(reason: string): void {
    this.#become("failed", reason);
  }

  #become(state: UpstreamState, error?: string): void {
    const { state: before, error: known } = this.#health;
    if (before === state && known === error) return;
    this.#health = { state, since: this.#now(), ...(error === undefined ? {} : { error }) };
    this.#changed(this.#health);
    if (state === "running" || state === "stopped") this.#reported = false;
    if (state !== "failed" || this.#reported) return;
    this.#reported = true;
    this.#failed(error ?? "the server failed");
  }
}
