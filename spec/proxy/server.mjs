// A server of the official SDK: long and short answers, structured ones, progress, requests of its own, death.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const need = createRequire(pathToFileURL(process.env.MCP_MODULES + "/"));
const load = (name) => import(pathToFileURL(need.resolve(name)));
const { Server } = await load("@modelcontextprotocol/sdk/server/index.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/server/stdio.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = await load("@modelcontextprotocol/sdk/types.js");

const object = { type: "object", properties: {} };
const rows = {
  type: "object",
  properties: { rows: { type: "array", items: { $ref: "#/$defs/row" } }, kind: { type: "string", enum: ["rows"] } },
  required: ["rows", "kind"],
  $defs: { row: { type: "object", properties: { id: { type: "integer" }, none: { type: "array" } }, required: ["id"] } },
};
const text = (said) => ({ content: [{ type: "text", text: said }] });
const tools = {
  text: ({ bytes }) => text("0123456789 abcdef\n".repeat(Math.ceil(bytes / 18)).slice(0, bytes)),
  rows: ({ count }) => {
    const structuredContent = { rows: Array.from({ length: count }, (_, id) => ({ id, none: [] })), kind: "rows" };
    return { ...text(JSON.stringify(structuredContent)), structuredContent };
  },
  slow: (_, extra) => new Promise((done) => extra.signal.addEventListener("abort", () => setTimeout(() => done(text("late")), 50))),
  progress: async (_, extra) => {
    for (let progress = 1; progress <= 3; progress++) {
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken: extra._meta.progressToken, progress, total: 3 },
      });
    }
    await new Promise((done) => setTimeout(done, 100)); // the client forgets a call's progress once it is answered
    return text("done");
  },
  ask: async () => {
    const params = { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 9 };
    const said = await server.createMessage(params);
    return text("the model said " + said.content.text);
  },
  die: () => {
    process.stdout.write('{"jsonrpc":"2.0","torn', () => process.exit(9));
    return new Promise(() => {});
  },
};

const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(tools).map((name) => ({ name, inputSchema: object, ...(name === "rows" && { outputSchema: rows }) })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => tools[params.name](params.arguments ?? {}, extra));
await server.connect(new StdioServerTransport());
