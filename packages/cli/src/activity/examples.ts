const READS = "3 the records cannot be read";

const TEXTS = {
  activity: `
Examples:
  $ touchstone activity list --decision warning,blocked --since 24h   # what agents got wrong
  $ touchstone activity last --blocked
  $ touchstone activity show 01M8066KDN
  $ touchstone activity problems --period 24h       # grouped by what was wrong
  $ touchstone activity rollout --since 7d --suggest
  $ touchstone activity verify

Exit status: 0 done; 1 --fail-on matched, or records do not verify; 2 wrong usage or a bad
filter; 3 the records cannot be read, or required records are missing.`,

  list: `
Examples:
  $ touchstone activity list --decision warning,blocked --since 24h
  $ touchstone activity list --server files --tool read_file -o jsonl
  $ touchstone activity list --fail-on blocked,error --since 1h

Exit status: 0 done; 1 a record on any page matches --fail-on; 2 wrong usage or a bad filter;
${READS}, or there are none and --fail-on is given.`,

  last: `
Examples:
  $ touchstone activity last
  $ touchstone activity last --blocked
  $ touchstone activity last --blocked --server files --since 24h -o json

Exit status: 0 done; 2 wrong usage or a bad filter; ${READS}, or the call does not exist.`,

  show: `
Examples:
  $ touchstone activity show 01M8066KDN
  $ touchstone activity show 01M8066KDN -o json

Exit status: 0 done; 2 wrong usage, or several records whose id starts like this; ${READS},
or the record does not exist.`,

  watch: `
Examples:
  $ touchstone activity watch --status blocked,denied,held
  $ touchstone activity watch --server files -o jsonl --until 2026-12-31T12:00:00Z

Exit status: 0 a signal, a closed output or the time of --until ended it; 2 wrong
usage, a bad filter, or a time in the past; 3 the records cannot be read at the start.`,

  summary: `
Examples:
  $ touchstone activity summary
  $ touchstone activity summary --period 7d --server files -o json

Exit status: 0 done; 2 wrong usage or a bad filter; ${READS}.`,

  rollout: `
Examples:
  $ touchstone activity rollout --since 7d
  $ touchstone activity rollout --suggest
  $ touchstone activity rollout --config touchstone.json   # without what the file's rules allow
  $ touchstone activity rollout --fail-on blocked

Exit status: 0 done; 1 strict would have blocked something and --fail-on is given; 2 wrong usage or a
bad filter; ${READS}, or --fail-on is given and there are none, or a tool
that was called was not checked.`,

  repairs: `
Examples:
  $ touchstone activity repairs --since 7d
  $ touchstone activity repairs --server files -o json

It needs "input_validation": {"repair": ["safe"]} in the configuration of the gateway.

Exit status: 0 done; 2 wrong usage or a bad filter; ${READS}.`,

  problems: `
Examples:
  $ touchstone activity problems
  $ touchstone activity problems --period 7d --state open --server files
  $ touchstone activity problems --config touchstone.json -o json   # states by the rules of this file

Exit status: 0 done; 2 wrong usage or a bad filter; ${READS}.`,

  drift: `
Examples:
  $ touchstone activity drift crm update_contact
  $ touchstone activity drift crm update_contact --fail-on drift -o json

It needs "activity": {"drift": true} in the configuration of the gateway.

Exit status: 0 done; 1 there is drift and --fail-on is given; 2 wrong usage; ${READS},
or no results of the tool are known and --fail-on is given.`,

  export: `
Examples:
  $ touchstone activity export --out records.jsonl
  $ touchstone activity export -o csv --since 7d > records.csv
  $ touchstone activity export -o ocsf --type policy_decision --out decisions.jsonl

Exit status: 0 done; 2 wrong usage or a bad filter; ${READS}, there are
none, or the export cannot be written; 130 and 143 a signal ended it, and no file was written.`,

  verify: `
Examples:
  $ touchstone activity verify
  $ touchstone activity verify --checkpoint checkpoint.json --public-key key.pub.pem

Exit status: 0 everything that was compared is in order; 1 something is wrong; 2 wrong usage; ${READS}
or there are none, or the key or checkpoint is invalid.`,

  checkpoint: `
Examples:
  $ openssl genpkey -algorithm ed25519 -out key.pem
  $ touchstone activity checkpoint --key key.pem --out checkpoint.json

Exit status: 0 signed; 1 the records do not verify, and nothing was signed; 2 wrong usage; 3 the key
is invalid, a file cannot be read or written, or no records exist; 130 and 143 a signal ended it.`,

  erase: `
Examples:
  $ touchstone activity erase --caller alice --dry-run
  $ touchstone activity erase --caller alice --reason "request 17" --yes
  $ touchstone activity erase --session sha256:9f86d0…

The chains of records still verify. Exports, captures, backups and logs elsewhere are not changed.

Exit status: 0 done; 2 wrong usage, or not confirmed; 3 the records cannot be changed, or there are none.`,

  prune: `
Examples:
  $ touchstone activity prune --older-than 90d
  $ touchstone activity prune --max-records 1000000 --max-bytes 1000000000

Exit status: 0 done; 2 wrong usage, or no bound; 3 the records cannot be removed, or there are none.`,
} as const;

/** Returns the end of the help of `touchstone activity`, or of one of its commands. */
export function examplesOf(command: string): string {
  return TEXTS[command as keyof typeof TEXTS];
}
