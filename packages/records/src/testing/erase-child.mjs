// Erases a caller's data in a separate process, and kills it: node erase-child.mjs DATABASE CALLER STATEMENT COUNT
// The process gets SIGKILL right before the COUNTth statement that begins with STATEMENT. Writes `done` if there were
// fewer.
import { writeSync } from "node:fs";
import Database from "libsql";
import { openEraser } from "../../build/open-sqlite.js";

const [path, caller, beginning, count] = process.argv.slice(2);
let left = Number(count);
const counted = (sql) => {
  if (sql.startsWith(beginning) && --left === 0) process.kill(process.pid, "SIGKILL");
};
const { exec, prepare } = Database.prototype;
Database.prototype.exec = function execCounted(sql) {
  counted(sql);
  return exec.call(this, sql);
};
Database.prototype.prepare = function prepareCounted(sql) {
  const statement = prepare.call(this, sql);
  const { all } = statement;
  statement.all = (...parameters) => {
    counted(sql);
    return all.apply(statement, parameters);
  };
  return statement;
};
const eraser = await openEraser(path);
await eraser.erase({
  subject: { caller },
  dryRun: false,
  author: { actor: "child" },
  source: "cli",
});
writeSync(1, "done\n");
await eraser.close();
