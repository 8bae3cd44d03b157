import { isSecretName, REDACTED } from "../util/secret-text.ts";

/** Options of curl and its like whose value is a user with a password after a colon. */
const USER = /^(?:-u|--user|--proxy-user)$/;
/** The same as one word. */
const JOINED_USER = /^(-u=?|--user=|--proxy-user=)(.+)$/s;

/** The last words of names that suggest a secret on a command line; elsewhere some of them report other things. */
const OPTION_ENDS = /(?:^|[^a-z])(?:pat|auth|keys?|sig|signature|sas|creds?|login|session)$/i;

/** Returns whether a value of an option, a variable or a header of that name is a secret: `--pat`, `-k`, `API_KEY` … */
export function isSecretOption(name: string): boolean {
  const words = name.slice(0, 256).replace(/[=:\s]+$/, "");
  // `accessKey` is two words.
  const apart = words.replace(/([a-z])([A-Z])/g, "$1-$2");
  return isSecretName(words) || words === "-k" || OPTION_ENDS.test(apart);
}

/** The clients of MySQL and MariaDB, which take a password right behind `-p`. */
const SQL_CLIENT = /(?:^|[\\/])(?:mysql|mariadb)[\w-]*(?:\.exe)?$/i;

/** `NAME:PASSWORD` as `NAME:[redacted]`; a URL, a path of Windows, a user and a group by number as they are. */
function withoutPassword(value: string): string {
  if (/^\d+:\d+$/.test(value)) return value;
  return value.replace(/^([^:\s]*:)(?!\/\/|\\).+$/s, (_, name: string) => name + REDACTED);
}

/**
 * Returns the words of a command line without the passwords of options whose names do not suggest any: `-u NAME:PASSWORD`
 * of any program, `-pPASSWORD` of those for which it is one. Elsewhere `-p` is a port, a path or a profile.
 */
export function withoutShortSecrets(words: readonly string[]): readonly string[] {
  let isSql = false;
  return words.map((word, at) => {
    isSql ||= SQL_CLIENT.test(word);
    if (isSql && /^-p./s.test(word)) return `-p${REDACTED}`;
    if (USER.test(words[at - 1] ?? "")) return withoutPassword(word);
    return word.replace(
      JOINED_USER,
      (_, option: string, value: string) => option + withoutPassword(value),
    );
  });
}
