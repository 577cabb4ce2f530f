// A client of `abridge serve`: node abridge_serve.mjs RUN_DIR 'make test'
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export function abridge(...flags) {
  const server = spawn("abridge", ["serve", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
  const asked = new Map();
  let count = 0;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    if (error) asked.get(id).reject(new Error(error.message));
    else asked.get(id).resolve(result);
    asked.delete(id);
  });
  server.on("close", () => asked.forEach(({ reject }) => reject(new Error("abridge has ended"))));
  const ask = (method, params) => new Promise((resolve, reject) => {
    asked.set(++count, { resolve, reject });
    server.stdin.write(JSON.stringify({ id: count, method, params }) + "\n");
  });
  return { ask, close: () => server.stdin.end() };
}

if (process.argv[1].endsWith("abridge_serve.mjs")) {
  const { ask, close } = abridge("--run-dir", process.argv[2]);
  const result = await ask("call", { tool: "run_command", input: { command: process.argv[3] } });
  console.log(result.content); // what the model is given
  process.exitCode = result.is_error ? 1 : 0;
  close();
}
