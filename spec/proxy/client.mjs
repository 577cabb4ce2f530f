// client.mjs FOLDER [PROGRAM ARGS...]: a client of the official SDK, which checks results against the tools' schemas,
// and two servers, behind a program if one is given. Prints what it saw as JSON.
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import path from "node:path";
const modules = process.env.MCP_MODULES;
const need = createRequire(pathToFileURL(modules + "/"));
const load = (name) => import(pathToFileURL(need.resolve(name)));
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { CreateMessageRequestSchema } = await load("@modelcontextprotocol/sdk/types.js");

const [folder, ...before] = process.argv.slice(2);
const saw = {};

async function connected(...words) {
  const [command, ...args] = [...before, process.execPath, ...words];
  const client = new Client({ name: "test", version: "1" }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "none", role: "assistant", content: { type: "text", text: "yes" },
  }));
  await client.connect(new StdioClientTransport({ command, args, stderr: "inherit", env: { ...process.env } }));
  return client;
}

async function median(client, bytes, times) {
  const took = [];
  for (let i = 0; i < times; i++) {
    const from = performance.now();
    await client.callTool({ name: "text", arguments: { bytes } });
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b)[times >> 1];
}

const files = await connected(path.join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js"), folder);
saw.tools = (await files.listTools()).tools.length;
const read = (name) => files.callTool({ name: "read_text_file", arguments: { path: path.join(folder, name) } });
saw.long = await read("long.txt");
saw.short = await read("short.txt");
await files.close();

const own = await connected(path.join(path.dirname(fileURLToPath(import.meta.url)), "server.mjs"));
await own.listTools();
saw.rows = await own.callTool({ name: "rows", arguments: { count: 5000 } });
saw.few = await own.callTool({ name: "rows", arguments: { count: 2 } });
let steps = 0;
await own.callTool({ name: "progress" }, undefined, { onprogress: () => steps++ });
saw.steps = steps;
saw.asked = (await own.callTool({ name: "ask" })).content[0].text;
const stop = new AbortController();
const slow = own.callTool({ name: "slow" }, undefined, { signal: stop.signal }).catch(() => "cancelled");
setTimeout(() => stop.abort(), 50);
saw.slow = await slow;
await new Promise((done) => setTimeout(done, 150)); // the late answer passes meanwhile
saw.ms = { small: await median(own, 1000, 101), large: await median(own, 300000, 31) };
saw.died = await own.callTool({ name: "die" }).catch((problem) => problem.message);
process.stdout.write(JSON.stringify(saw), () => process.exit(0));
