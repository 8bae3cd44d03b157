import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { type Logger, PacedLog, TouchstoneError } from "@touchstone/util";

/** Why the gateway stops reading the body of a request. */
export const BODY_ERRORS = {
  BODY_TIMEOUT: [408, "The body of the request stopped, or arrives too slowly"],
  BODIES_FULL: [
    503,
    "Too many bytes of unfinished request bodies wait, of this caller or of all; `Retry-After` says when to try again",
  ],
} as const;

/** The body of a request is not read to its end. */
export class BodyRefusedError extends TouchstoneError<keyof typeof BODY_ERRORS> {
  constructor(code: keyof typeof BODY_ERRORS, message: string) {
    super("BodyRefusedError", BODY_ERRORS, code, message);
  }

  /**
   * The headers of the response. After a timeout the connection is closed, because the rest of the body may arrive at
   * any time.
   */
  get headers(): Readonly<Record<string, string>> {
    return this.code === "BODY_TIMEOUT" ? { connection: "close" } : { "retry-after": RETRY_AFTER };
  }
}

/** After how many seconds to retry: by then, unfinished bodies have continued or timed out. */
const RETRY_AFTER = "5";

/** How fast a body must arrive. */
export interface BodyTimes {
  /** The longest time without a byte, in milliseconds. */
  readonly idle: number;
  /** The time that any body may take, in milliseconds. */
  readonly whole: number;
  /** A body may take longer if its bytes arrived at least at this rate, in bytes per second. */
  readonly rate: number;
  /** How often bodies are checked, in milliseconds. */
  readonly check: number;
}

const BODY_TIMES: BodyTimes = { idle: 30_000, whole: 60_000, rate: 65_536, check: 1_000 };

/** The bodies over {@link FREE_BYTES} of one caller may use at most this part of the bytes, or be a single body. */
const SHARE = 1 / 2;
/** All bodies of one caller, including small ones, may use at most this part of the bytes. */
const MOST = 3 / 4;
/** The size that a body counts for before its first byte: the memory of its connection and its request. */
const LEAST_BYTES = 16_384;
/**
 * Every caller may use this much beyond the limit, and a body up to this size does not count toward a share: most
 * calls are smaller, and many clients may have one address.
 */
const FREE_BYTES = LEAST_BYTES + 65_536;
/** All callers together may use at most this multiple of the limit: one client may have thousands of IPv6 networks. */
const FREE_ENDS = 2;

/** The unfinished bodies of one caller. */
interface Holder {
  bytes: number;
  bodies: number;
}

/** The settings of all bodies together. */
export interface BodyLimits {
  /** `limits.unfinished_bytes`. */
  readonly unfinishedBytes: number;
  /** `limits.request_bytes`: there is always room for one such body. */
  readonly requestBytes: number;
}

export interface UnfinishedBodiesOptions {
  readonly limits: BodyLimits;
  /** Default: 30 s without a byte, 60 s and 64 KiB/s in all. */
  readonly times?: BodyTimes | undefined;
  /** Returns the name of the caller of a request, if it has one. Default: no caller is known. */
  readonly callerOf?: (request: IncomingMessage) => string | undefined;
  readonly log: Logger;
}

/**
 * Limits the memory of all request bodies that have not arrived completely, and the time that each may take. Every
 * reader of a body counts its bytes here, so that clients which stop in the middle can neither fill the memory nor
 * use up the room of other callers.
 */
export class UnfinishedBodies {
  /** They may change at any time. */
  limits: BodyLimits;
  /** The bytes that all unfinished bodies count for. */
  held = 0;
  readonly #times: BodyTimes;
  readonly #callerOf: (request: IncomingMessage) => string | undefined;
  readonly #paced: PacedLog;
  readonly #holders: Map<string, Holder> = new Map();
  readonly #arriving: Set<ArrivingBody> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor({
    limits,
    times = BODY_TIMES,
    callerOf = () => undefined,
    log,
  }: UnfinishedBodiesOptions) {
    this.limits = limits;
    this.#callerOf = callerOf;
    this.#times = times;
    this.#paced = new PacedLog(log);
  }

  /**
   * Begins to count the body of a request.
   * @param largest the limit of this body alone, in bytes
   * @throws BodyRefusedError if there is no room for another body
   */
  begin(request: IncomingMessage, largest: number): ArrivingBody {
    const name = this.#holderOf(request);
    const holder = this.#holders.get(name) ?? { bytes: 0, bodies: 0 };
    this.#holders.set(name, holder);
    holder.bodies += 1;
    const body = new ArrivingBody(largest, {
      hold: (bytes) => this.#hold(holder, bytes, body.held + bytes > FREE_BYTES),
      ended: () => {
        this.#arriving.delete(body);
        holder.bodies -= 1;
        if (holder.bodies === 0) this.#holders.delete(name);
      },
    });
    const refused = body.hold(LEAST_BYTES);
    if (refused !== undefined) {
      body.end();
      throw refused;
    }
    this.#arriving.add(body);
    this.#timer ??= setInterval(() => this.#look(), this.#times.check).unref();
    return body;
  }

  /**
   * Returns the key under which bodies are counted together: a caller with a name, or else an address, or an IPv6
   * network of 64 bits, which one client usually has for itself.
   */
  #holderOf(request: IncomingMessage): string {
    const caller = this.#callerOf(request);
    if (caller !== undefined) return `caller ${caller}`;
    const { remoteAddress = "" } = request.socket;
    return `address ${networkOf(remoteAddress)}`;
  }

  /** Counts bytes, unless there is no room for them. */
  #hold(holder: Holder, bytes: number, isLarge: boolean): BodyRefusedError | undefined {
    const { unfinishedBytes, requestBytes } = this.limits;
    const limit = Math.max(unfinishedBytes, requestBytes + LEAST_BYTES);
    const share = Math.max(limit * (isLarge ? SHARE : MOST), requestBytes + LEAST_BYTES);
    const isBeyondFree = holder.bytes + bytes > FREE_BYTES;
    const isOverShare = isBeyondFree && holder.bytes + bytes > share;
    const isOver = this.held + bytes > (isBeyondFree ? limit : FREE_ENDS * limit);
    if (bytes > 0 && (isOverShare || isOver)) {
      const whose = isOverShare ? "of this caller" : "of all callers";
      const what = `too many bytes of unfinished request bodies ${whose} wait (limits.unfinished_bytes)`;
      this.#paced.warn("request bodies", `a request is refused: ${what}`);
      return new BodyRefusedError("BODIES_FULL", `${what}; try again in ${RETRY_AFTER} s`);
    }
    holder.bytes += bytes;
    this.held += bytes;
    return undefined;
  }

  /** Ends the reading of bodies that do not arrive in time. */
  #look(): void {
    const now = performance.now();
    const { idle, whole, rate } = this.#times;
    for (const body of [...this.#arriving]) {
      const { began, last, size } = body;
      if (now - last > idle) body.giveUp(`no byte of it came for ${idle / 1000} s`);
      else if (now - began > whole + (size / rate) * 1000) {
        body.giveUp(`it takes longer than ${whole / 1000} s and its size at ${rate} bytes/s`);
      }
    }
    if (this.#arriving.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [before = "", after] = address.split("::");
  const head = before.split(":").filter(Boolean);
  const tail = (after ?? "").split(":").filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill("0"), ...tail].slice(0, 4).join(":");
}

interface Account {
  /** Counts bytes; fewer if negative. */
  readonly hold: (bytes: number) => BodyRefusedError | undefined;
  readonly ended: () => void;
}

/** The body of a request while it arrives. */
export class ArrivingBody {
  readonly began: number = performance.now();
  /** When the last byte arrived. */
  last: number = this.began;
  /** How many bytes have arrived. */
  size = 0;
  /** Called with the reason if the body is refused while it arrives. */
  onGivenUp: ((error: BodyRefusedError) => void) | undefined;
  /** How many bytes it currently counts for. */
  held = 0;
  readonly #largest: number;
  readonly #account: Account;

  constructor(largest: number, account: Account) {
    this.#largest = largest;
    this.#account = account;
  }

  /**
   * Counts a piece that has arrived. The reader does not keep bytes over the limit of the body, so they only count
   * for the time.
   * @returns why to stop reading the body; undefined to continue
   */
  take(bytes: number): BodyRefusedError | undefined {
    this.last = performance.now();
    this.size += bytes;
    if (this.size <= this.#largest) return this.hold(bytes);
    this.#release();
    return undefined;
  }

  hold(bytes: number): BodyRefusedError | undefined {
    const refused = this.#account.hold(bytes);
    if (refused === undefined) this.held += bytes;
    return refused;
  }

  giveUp(why: string): void {
    const message = `the body of the request was not read to its end: ${why}`;
    this.onGivenUp?.(new BodyRefusedError("BODY_TIMEOUT", message));
  }

  /** Ends the count: the body is complete, or nobody reads it anymore. */
  end(): void {
    this.#release();
    this.#account.ended();
  }

  #release(): void {
    this.#account.hold(-this.held);
    this.held = 0;
  }
}
