/**
 * Definitions as servers sent them. `older.lock` contains those without a duplicate key, and the approvals in
 * `layout-16.sqlite.sql` all of them. Both files were made by builds of commit 6cba3b4e.
 */
export const OLDER_DEFINITIONS: Readonly<Record<"numbers" | "spelling" | "twice", string>> = {
  numbers: `{"name":"numbers","inputSchema":{"type":"object","properties":{"a":{"type":"number","minimum":1.50,"maximum":1e3,"multipleOf":0.010},"b":{"const":-0},"c":{"enum":[9007199254740993,1E+2,123456789012345678901234567890.10]}}}}`,
  spelling: String.raw`{ "description" : "caf\u00e9 \ud83d\ude00 \u200b \/ \\ \" \u2028 \u0007", "name":"spelling","inputSchema":{"properties":{"\ud800":{},"b":{},"a\u0301":{},"\u00e1":{},"__proto__":{"type":"string"},"10":{},"9":{}},"type":"object"}}`,
  twice: `{"name":"twice","inputSchema":{"type":"object"},"description":"first","description":"second","_meta":{"z":[[],{},null,true],"a":{}}}`,
};
