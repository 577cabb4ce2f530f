--- What an agent took from one output for its next call: sessions with real programs, whose outputs are recorded.
---
--- A run makes its folder with `setup`, then goes step by step: `command`, with `{name}` for what was taken before, and
--- `takes`, Lua patterns of what a later command needs. The first capture is the text that must show; a second one, if
--- there is one, the value itself.

local M = {}

local ENVIRONMENT = "export LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\n"
  .. "export PYTHONDONTWRITEBYTECODE=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org\n"
  .. "export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org\n"

M.runs = {
  {
    name = "a bug in a shop",
    tools = { "python3", "grep", "sed" },
    setup = [[
python3 - <<'PY'
import os
os.makedirs("shop/pricing"), os.makedirs("tests")
for i in range(40):
    with open(f"shop/pricing/rules_{i:02}.py", "w") as f:
        for k in range(25):
            f.write(f"def discount_{i}_{k}(total):\n    # a discount of {k} percent, never over the total\n"
                    f"    return clamp_{i}(total, total * {k} / 100)\n\n")
        f.write(f"def clamp_{i}(total, discount):\n    return min(total, discount)\n")
        if i == 23:
            f.write("\ndef apply_discount(total, rate):\n    return total - rate_of_23(total, rate)\n"
                    "\ndef rate_of_23(total, rate):\n    return total * rate / 10\n")
open("shop/__init__.py", "w"), open("shop/pricing/__init__.py", "w"), open("tests/__init__.py", "w")
with open("tests/test_cart.py", "w") as f:
    f.write("import unittest\nfrom shop.pricing import rules_23\n\nclass Cart(unittest.TestCase):\n")
    for k in range(150):
        f.write(f"    def test_discount_{k:03}(self):\n"
                f"        self.assertEqual({k}, rules_23.discount_23_0({k}) + {k})\n")
    f.write("    def test_applied(self):\n        self.assertEqual(90, rules_23.apply_discount(100, 0.1))\n")
PY]],
    steps = {
      { command = "python3 -m unittest -v tests.test_cart 2>&1", takes = { at = '(test_cart.py", line (%d+))' } },
      {
        command = "sed -n '{at}p' tests/test_cart.py; grep -rn discount shop",
        takes = { def = "(rules_23.py:(%d+):def apply_discount)" },
      },
      {
        command = "sed -n '{def},$p' shop/pricing/rules_23.py; cat shop/pricing/rules_23.py",
        takes = { rate = "total %- (rate_of_%d+)" },
      },
      { command = "grep -rn {rate} shop" },
    },
  },
  {
    name = "who changed it",
    tools = { "git", "python3" },
    setup = [[
git init -q . && python3 - <<'PY' | git fast-import --quiet
for i in range(1, 181):
    subject = "Round totals half up" if i == 97 else f"Tidy module {i % 12} of the shop, step {i}"
    body = f"step {i}\n" * (i % 9 + 1)
    print(f"commit refs/heads/main\nmark :{i}\ncommitter a <a@example.org> {1700000000 + i * 3600} +0000")
    print(f"data {len(subject)}\n{subject}")
    if i > 1: print(f"from :{i - 1}")
    for name in [f"src/module_{i % 12}.txt"] + ([f"src/file_{k}.txt" for k in range(60)] if i == 97 else []):
        print(f"M 100644 inline {name}\ndata {len(body)}\n{body}")
PY
git reset -q --hard main]],
    steps = {
      { command = "git log --oneline main", takes = { commit = "((%x%x%x%x%x%x%x) Round totals half up)" } },
      { command = "git show --stat=200,180 {commit}", takes = { file = "(src/module_%d+.txt)" } },
      {
        command = "git log --format='%h %ad %s' -- {file}",
        takes = { before = "Round totals half up\n(%x%x%x%x%x%x%x)" },
      },
      {
        command = "git diff {before} {commit} -- src",
        takes = { hunk = "diff %-%-git a/src/module_1.txt.-\n(@@ [^\n]*)" },
      },
      { command = "echo '{hunk}'" },
    },
  },
  {
    name = "a file among many",
    tools = { "python3", "ls", "find" },
    setup = [[
mkdir -p logs etc && python3 - <<'PY'
import os
for i in range(400):
    with open(f"logs/job-{i:04}.log", "w") as f: f.write("" if i == 261 else f"job {i}\n" * (i % 30 + 1))
    os.makedirs(f"etc/site_{i % 20}", exist_ok=True)
    with open(f"etc/site_{i % 20}/part_{i}.conf", "w") as f:
        f.write("\n".join(f"key_{k} = {k * i}" for k in range(40)) + ("\nlisten = 8412\n" if i == 333 else "\n"))
PY]],
    steps = {
      { command = "ls -l logs", takes = { empty = " 0 [^\n]* (job%-%d+%.log)" } },
      { command = "grep -c . logs/*; echo {empty}", takes = { long = "(job%-0389%.log:%d+)" } },
      {
        command = "echo {long}; grep -rn 'listen\\|key_7 ' etc",
        takes = { conf = "(etc/site_%d+/part_%d+%.conf):%d+:listen" },
      },
      { command = "cat {conf}", takes = { port = "listen = (%d+)" } },
      { command = "echo {port}" },
    },
  },
  {
    name = "an order in a database",
    tools = { "sqlite3", "python3" },
    setup = [[
python3 - <<'PY' | sqlite3 shop.db
print("create table orders(id, customer, state, total); create table items(order_id, sku, count);")
print("create table products(sku, name, price);")
for i in range(600):
    state = "payment bounced" if i == 412 else ["paid", "sent", "open"][i % 3]
    print(f"insert into orders values({10000 + i * 7}, 'customer {i}', '{state}', {i * 13 % 400});")
    print(f"insert into items values({10000 + i * 7}, 'SKU-{i * 31 % 977:04}', {i % 5 + 1});")
    print(f"insert into products values('SKU-{i * 31 % 977:04}', 'thing {i}', {i % 90});")
PY]],
    steps = {
      {
        command = "sqlite3 -header -column shop.db 'select * from orders'",
        takes = { id = "(%d+) +customer %d+ +payment bounced" },
      },
      {
        command = "sqlite3 shop.db 'select * from items' | grep -n '' ; echo {id}",
        takes = { sku = "12884|(SKU%-%d+)" },
      },
      {
        command = "sqlite3 -json shop.db 'select * from products'; echo {sku}",
        takes = { price = '"sku":"SKU%-0071","name":"(thing %d+)"' },
      },
      { command = "echo '{price}'" },
    },
  },
  {
    name = "a record in JSON",
    tools = { "python3" },
    setup = [[
mkdir orders && python3 - <<'PY'
import json
orders = [{"id": f"ord_{i * 7919 % 100003:05}", "status": "refunded" if i == 187 else "sent", "total": i * 3,
           "customer": {"name": f"customer {i}", "email": f"c{i}@example.org"},
           "notes": "as agreed " * (i % 6)} for i in range(300)]
json.dump({"page": 1, "next_cursor": "cur_7f3a91", "orders": orders}, open("orders.json", "w"), indent=2)
for o in orders[187:188]:
    o["lines"] = [{"sku": f"SKU-{k:04}", "count": k % 4 + 1, "tracking": f"TR{k * 104729 % 1000003:07}"}
                  for k in range(90)]
    json.dump(o, open(f"orders/{o['id']}.json", "w"), indent=2)
PY]],
    steps = {
      {
        command = "cat orders.json",
        takes = { id = '"id": "(ord_%d+)",%s+"status": "refunded"', cursor = "(cur_%x+)" },
      },
      {
        command = "echo {cursor}; cat orders/{id}.json",
        takes = { tracking = '"sku": "SKU%-0089",%s+"count": %d+,%s+"tracking": "(TR%d+)"' },
      },
      { command = "echo {tracking}" },
    },
  },
  {
    name = "an exchange in a shop",
    tools = { "python3" },
    setup = [[
cat > shop.py <<'PY'
import json, random, sys
what, which = sys.argv[1:]
r = random.Random(what + which)
number = lambda n: str(r.randrange(10 ** (n - 1), 10 ** n))
address = {"address1": "763 Maple Street", "address2": "Suite " + number(3), "city": "Denver", "country": "USA",
           "state": "CO", "zip": number(5)}
options = lambda: {"colour": r.choice(["blue", "red", "black"]), "size": r.choice(["S", "M", "L", "XL"]),
                   "material": r.choice(["cotton", "polyester"])}
names = ["T-Shirt", "Jacket", "Running Shoes", "Backpack"]
if what == "customer":
    cards = ["credit_card_" + number(7), "gift_card_" + number(7), "paypal_" + number(7)]
    answer = {"name": {"first_name": "Mia", "last_name": "Rossi"}, "address": address,
              "email": f"mia.rossi{number(4)}@example.org",
              "payment_methods": {c: {"source": c.rsplit("_", 1)[0], "id": c} for c in cards},
              "orders": ["#W" + number(7) for _ in range(6)]}
elif what == "order":
    items = [{"name": r.choice(names), "product_id": number(10), "item_id": number(10),
              "price": r.randrange(2000, 40000) / 100, "options": options()} for _ in range(4)]
    answer = {"order_id": which, "customer_id": "mia_rossi_" + number(4), "address": address, "items": items,
              "fulfillments": [{"tracking_id": [number(12)], "item_ids": [i["item_id"] for i in items]}],
              "status": "delivered",
              "payment_history": [{"transaction_type": "payment", "amount": round(sum(i["price"] for i in items), 2),
                                   "payment_method_id": "credit_card_" + number(7)}]}
elif what == "product":
    ids = [number(10) for _ in range(14)]
    answer = {"name": r.choice(names), "product_id": which,
              "variants": {i: {"item_id": i, "options": options(), "available": True, "price": 40 + k / 4}
                           for k, i in enumerate(ids)}}
else:
    answer = [{"flight_number": "DY" + number(3), "origin": which, "destination": "BGO", "status": "available",
               "departs": f"{h:02}:00:00", "arrives": f"{h + 2:02}:30:00",
               "seats": {"economy": r.randrange(20), "business": r.randrange(9)},
               "prices": {"economy": r.randrange(60, 200), "business": r.randrange(200, 500)}} for h in range(6, 20)]
print(json.dumps(answer))
PY]],
    steps = {
      { command = "python3 shop.py customer 1", takes = { order = "(#W%d+)[^#]*$", gift = '"id": "(gift_card_%d+)"' } },
      {
        command = "python3 shop.py order '{order}' # {gift}",
        takes = { item = '"item_id": "(%d+)"', product = '.*"product_id": "(%d+)"', card = "(credit_card_%d+)" },
      },
      {
        command = "python3 shop.py product {product} # {item} {card}",
        takes = { other = '.*"(%d+)": {"item_id": "%d+", "options": {"colour": "red"' },
      },
      { command = "python3 shop.py flights OSL # {other}", takes = { flight = '(DY%d+)"[^}]*"departs": "13:' } },
      {
        command = "python3 shop.py customer 2 # {flight}",
        takes = { order = '"orders": %["(#W%d+)', pay = "(paypal_%d+)" },
      },
      {
        command = "python3 shop.py order '{order}' # {pay}",
        takes = { item = '.*"item_id": "(%d+)"', product = '"product_id": "(%d+)"' },
      },
      {
        command = "python3 shop.py product {product} # {item}",
        takes = { other = '"variants".-"(%d+)": {"item_id": "%d+", "options": {"colour": "black"' },
      },
      { command = "echo {other}" },
    },
  },
  {
    name = "a build that fails",
    tools = { "make", "cc", "python3" },
    setup = [[
mkdir src && python3 - <<'PY'
for i in range(70):
    with open(f"src/unit_{i:02}.c", "w") as f:
        f.write("#include <stdio.h>\n" + "".join(f"int unit_{i}_{k}(int n) {{ return n + {k}; }}\n" for k in range(12)))
        f.write(f"int unit_{i}(int n) {{ return {'missing_step(n' if i == 41 else 'unit_%d_3(n' % i}); }}\n")
open("Makefile", "w").write("OBJ := $(patsubst %.c,%.o,$(wildcard src/*.c))\nall: $(OBJ)\n"
                            "%.o: %.c\n\tcc -c -O1 -Wall -Wextra -Werror $< -o $@\n")
PY]],
    steps = {
      { command = "make -k 2>&1", takes = { at = "(src/unit_41.c:(%d+)):" } },
      { command = "sed -n '{at}p' src/unit_41.c; nm src/*.o", takes = { symbol = "(%x+ T unit_69_11)" } },
      { command = "echo '{symbol}'" },
    },
  },
  {
    name = "a package",
    tools = { "dpkg", "dpkg-query" },
    setup = "",
    steps = {
      { command = "dpkg -l", takes = { version = "ii  libc6:%S+ +(%S+)" } },
      { command = "echo {version}; dpkg -L libc6", takes = { lib = "(/%S*/libresolv%.so%.2)" } },
      { command = "echo {lib}" },
    },
  },
}

local function filled(command, values)
  return (command:gsub("{(%l+)}", values))
end

--- Run one in a folder that is made anew; its entries are the outputs that something was taken from.
function M.record(run, folder)
  local function sh(script)
    local file = assert(io.open(folder .. ".sh", "wb"))
    assert(file:write(ENVIRONMENT, "cd '", folder, "' || exit 1\n", script, "\n"))
    file:close()
    local pipe = assert(io.popen(("sh '%s.sh' </dev/null"):format(folder)))
    local output = pipe:read "*a"
    pipe:close()
    return output
  end
  os.execute(("rm -rf '%s' && mkdir -p '%s'"):format(folder, folder))
  sh(run.setup)
  local entries, values = {}, {}
  for i, step in ipairs(run.steps) do
    local output, wanted = sh(filled(step.command, values)), {}
    for name, pattern in pairs(step.takes or {}) do
      local text, value = output:match(pattern)
      if not text then error(("%s: step %d printed nothing like %s"):format(run.name, i, pattern), 0) end
      wanted[#wanted + 1], values[name] = text, value or text
    end
    table.sort(wanted)
    if wanted[1] then entries[#entries + 1] = { name = run.name .. ", call " .. i, log = output, wanted = wanted } end
  end
  return entries
end

return M
