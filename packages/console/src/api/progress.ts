import { isObject } from "../json/object.ts";

/** The progress of a call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** Reads the data of a `progress` event; undefined if it is not valid. */
export function readProgress(data: string): Progress | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (!isObject(value)) return undefined;
    const { progress, total, message } = value;
    if (!isNumber(progress)) return undefined;
    return {
      progress,
      ...(isNumber(total) && total > 0 ? { total } : {}),
      ...(typeof message === "string" && message !== "" ? { message } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Returns the progress of a call as text: `2 of 5 · Copying`. */
export function progressText({ progress, total, message }: Progress): string {
  const number = (value: number): string => String(Number(value.toPrecision(6)));
  const count = total === undefined ? number(progress) : `${number(progress)} of ${number(total)}`;
  return message === undefined ? count : `${count} · ${message}`;
}
