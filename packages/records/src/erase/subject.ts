import { foldText, MAX_FOLDED } from "@touchstone/core/advanced";
import { boundName } from "../bounds.ts";
import { sessionHash } from "../session-hash.ts";

/** Whose data to erase. */
export type ErasureSubject =
  | { readonly caller: string; readonly session?: undefined }
  /** The session's id, or its hash as records have it. */
  | { readonly session: string; readonly caller?: undefined };

/** Returns whether the name of a caller is that of the subject. */
export function isSubject(caller: string | undefined, subject: ErasureSubject): boolean {
  if (caller === undefined || subject.caller === undefined) return false;
  return boundName(caller) === boundName(subject.caller);
}

/**
 * Returns whether a text for the record of an erasure names the person whose data is erased: the whole name, ignoring
 * case and accents, and not as a part of a longer word.
 */
export function namesSubject(text: string, { caller, session = "" }: ErasureSubject): boolean {
  const names = caller === undefined ? [session, sessionHash(session)] : [caller];
  return names.some((name) => {
    const word = plain(name);
    // The name consists only of marks or white space.
    if (word.trim() === "") return text.includes(name);
    return pieces(text).some((piece) => hasWord(plain(piece), word));
  });
}

const STEP = MAX_FOLDED / 2;

/** Returns overlapping pieces of a text that can be folded. */
function pieces(text: string): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / STEP) - 1);
  return Array.from({ length: count }, (_, at) => text.slice(at * STEP, at * STEP + MAX_FOLDED));
}

function plain(text: string): string {
  return foldText(text, "search") ?? text.toLowerCase();
}

function hasWord(text: string, word: string): boolean {
  const isInWord = (at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const isPart = (isInWord(at) && isInWord(at - 1)) || (isInWord(end - 1) && isInWord(end));
    if (!isPart) return true;
  }
  return false;
}
