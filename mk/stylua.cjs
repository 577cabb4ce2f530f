// node mk/stylua.cjs [--write] FOLDER...: StyLua by its package for Node, with the settings of .stylua.toml. Names the
// Lua files that it would change, and changes them with --write.
const fs = require("fs");
const path = require("path");
const stylua = require(require.resolve("@johnnymorganz/stylua", { paths: [process.env.STYLUA || "build/stylua"] }));

const kinds = {
  indent_type: stylua.IndentType,
  quote_style: stylua.QuoteStyle,
  call_parentheses: stylua.CallParenType,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
};
const settings = fs.readFileSync(".stylua.toml", "utf8").matchAll(/^(\w+) = (?:"(\w+)"|(\d+))/gm);
const values = [...settings].map(([, name, word, number]) => [name, word ? kinds[name][word] : Number(number)]);

const write = process.argv[2] === "--write";
const files = process.argv.slice(write ? 3 : 2).flatMap((folder) =>
  fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".lua")).map((name) => path.join(folder, name)));
let changes = 0;
for (const file of files.sort()) {
  const text = fs.readFileSync(file, "utf8");
  const formatted = stylua.formatCode(text, Object.assign(stylua.Config.new(), Object.fromEntries(values)), undefined, stylua.OutputVerification.Full);
  if (formatted === text) continue;
  changes++;
  if (write) fs.writeFileSync(file, formatted);
  console.log(`stylua: ${write ? "changed" : "would change"} ${file}`);
}
if (files.length === 0) throw new Error("no Lua file");
if (changes === 0) console.log("stylua: nothing to change");
process.exitCode = changes > 0 && !write ? 1 : 0;
