import { isSecretName, REDACTED } from "@touchstone/util";

/** Options of curl and similar programs whose value is a user and a password, separated by a colon. */
const USER = /^(?:-u|--user|--proxy-user)$/;
/** The same as one word. */
const JOINED_USER = /^(-u=?|--user=|--proxy-user=)(.+)$/s;

/** Last words of names that suggest a secret on a command line; elsewhere some of them mean other things. */
const OPTION_ENDS = /(?:^|[^a-z])(?:pat|auth|keys?|sig|signature|sas|creds?|login|session)$/i;

/**
 * Returns whether the value of an option, a variable or a header with that name is a secret: `--pat`, `-k`, `API_KEY`
 * …
 */
export function isSecretOption(name: string): boolean {
  const words = name.slice(0, 256).replace(/[=:\s]+$/, "");
  // `accessKey` is two words.
  const apart = words.replace(/([a-z])([A-Z])/g, "$1-$2");
  return isSecretName(words) || words === "-k" || OPTION_ENDS.test(apart);
}

/** The clients of MySQL and MariaDB, whose password directly follows `-p`. */
const SQL_CLIENT = /(?:^|[\\/])(?:mysql|mariadb)[\w-]*(?:\.exe)?$/i;

/** Replaces the password in `NAME:PASSWORD`. URLs, Windows paths, and numeric user and group ids stay. */
function withoutPassword(value: string): string {
  if (/^\d+:\d+$/.test(value)) return value;
  return value.replace(/^([^:\s]*:)(?!\/\/|\\).+$/s, (_, name: string) => name + REDACTED);
}

/**
 * Returns the words of a command line without passwords of options whose names do not suggest one: `-u NAME:PASSWORD`
 * of any program, and `-pPASSWORD` of programs for which that is a password. Elsewhere `-p` is a port, a path or a
 * profile.
 */
export function withoutCredentialOptions(words: readonly string[]): readonly string[] {
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
