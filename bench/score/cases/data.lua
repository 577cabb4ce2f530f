--- SQL servers and shells of databases, and git.

local text = require "score.text"
local each, fill = text.each, text.fill

local function statements(n, bad, fault)
  return "CREATE TABLE report (id integer PRIMARY KEY, part text NOT NULL, errors integer CHECK (errors >= 0));\n"
    .. each(n, function(i)
      return i == bad and fault
        or fill(
          "INSERT INTO report VALUES ($i, 'part $i', 0);\n" .. "SELECT 'report $i of the parts is in' AS note;\n",
          { i = i }
        )
    end)
end

-- A server of its own that listens on a socket in this folder alone; it refuses to run as root.
local POSTGRES = [[
dir=$(mktemp -d) && trap '$as pg_ctl -D $dir/db -m immediate stop >/dev/null; rm -rf $dir' EXIT
as=
if [ "$(id -u)" = 0 ]; then chown nobody $dir; as="setpriv --reuid=nobody --clear-groups"; fi
cp *.sql $dir && cd $dir
$as initdb -D $dir/db -A trust -U shop >/dev/null 2>&1
$as pg_ctl -D $dir/db -w -l $dir/server.log -o "-k $dir -c listen_addresses=''" start >/dev/null
export PGHOST=$dir PGUSER=shop PGDATABASE=postgres
]]

local MARIADB = [[
dir=$(mktemp -d) && trap 'kill $server; wait $server 2>/dev/null; rm -rf $dir' EXIT
mariadb-install-db --no-defaults --datadir=$dir --auth-root-authentication-method=normal >/dev/null 2>&1
mariadbd --no-defaults --datadir=$dir --skip-networking --socket=$dir/sock --user="$(id -un)" >/dev/null 2>&1 &
server=$!
for i in $(seq 100); do
  mariadb --no-defaults -uroot -S $dir/sock -e 'CREATE DATABASE shop' 2>/dev/null && break
  sleep 0.1
done
]]

local GIT = [[
export GIT_AUTHOR_NAME=Us GIT_AUTHOR_EMAIL=us@example.org GIT_COMMITTER_NAME=Us GIT_COMMITTER_EMAIL=us@example.org
]]

return {
  {
    name = "psql-constraint",
    language = "SQL",
    tool = "psql",
    tools = { "psql", "initdb", "pg_ctl", "setpriv" },
    family = "sql",
    ci = "github",
    write = function(dir)
      dir:write(
        "load.sql",
        statements(
          700,
          611,
          "INSERT INTO report\n" .. "  SELECT id + 611, part, errors - 1 FROM report WHERE part = 'part 17';\n"
        )
      )
    end,
    command = POSTGRES .. "psql -v ON_ERROR_STOP=1 --echo-errors -f load.sql",
    exits = 3,
    block = { { from = "load.sql:1223: ERROR:", to = "SELECT id + 611, part" } },
  },
  {
    name = "psql-function",
    language = "SQL",
    tool = "psql",
    tools = { "psql", "initdb", "pg_ctl", "setpriv" },
    family = "sql",
    ci = "jenkins",
    write = function(dir)
      dir:write(
        "load.sql",
        "CREATE TABLE rate (currency text, value numeric);\n"
          .. "CREATE FUNCTION book(n integer, c text) RETURNS text LANGUAGE plpgsql AS $$\n"
          .. "DECLARE found numeric;\nBEGIN\n  SELECT value INTO STRICT found FROM rate WHERE currency = c;\n"
          .. "  RETURN 'entry ' || n || ' is booked, 0 errors';\n"
          .. "END $$;\nINSERT INTO rate VALUES ('EUR', 1);\n"
          .. each(900, function(i)
            return fill("SELECT book($i, '$c');\n", { i = i, c = i == 777 and "XAF" or "EUR" })
          end)
      )
    end,
    command = POSTGRES .. "psql -t -f load.sql -v ON_ERROR_STOP=1",
    exits = 3,
    block = { { from = "ERROR:  query returned no rows", to = "CONTEXT:  PL/pgSQL function book" } },
  },
  {
    name = "mariadb-syntax",
    language = "SQL",
    tool = "mariadb",
    tools = { "mariadb", "mariadbd", "mariadb-install-db" },
    family = "sql",
    ci = "travis",
    write = function(dir)
      dir:write("load.sql", statements(700, 640, "INSERT INTO report VALUES (640, 'part 640' 0);\n"))
    end,
    command = MARIADB .. "mariadb --no-defaults -uroot -S $dir/sock -vv shop < load.sql",
    exits = 1,
    block = { { from = "ERROR 1064 (42000) at line 1280" } },
  },
  {
    name = "sqlite-schema",
    language = "SQL",
    tool = "sqlite3",
    tools = { "sqlite3" },
    family = "sql",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "load.sql",
        statements(900, 733, "SELECT part, errors,\n  sum(error) AS errors_of_part\n" .. "FROM report GROUP BY part;\n")
      )
    end,
    command = "sqlite3 -bail -echo shop.db < load.sql",
    exits = 1,
    block = { { from = "near line 1466:", to = "error here ---^" } },
  },
  {
    name = "git-rebase",
    language = "Git",
    tool = "git",
    tools = { "git" },
    family = "vcs",
    ci = "jenkins",
    write = function(dir)
      dir:write(
        "make.sh",
        [[
git init -q -b main work && cd work
for i in $(seq 1 120); do echo "errors of part $i: 0" > part-$i.txt; done
git add . && git commit -qm 'All parts' && git branch topic
echo 'errors of part 77: none' > part-77.txt && git commit -qam 'Say none'
git checkout -q topic
for i in $(seq 1 120); do
  echo "errors of part $i: zero, and no failure since release $i of the reports" > part-$i.txt
  git commit -qam "Report that part $i has no error, and no failure since release $i of the reports"
done
]]
      )
    end,
    command = GIT
      .. "sh make.sh; cd work; git -c advice.mergeConflict=true -c rebase.stat=true log --stat "
      .. "--format='commit %H%n    %s' main..topic\n"
      .. "git rebase --verbose main",
    exits = 1,
    block = { { from = "CONFLICT (content): Merge conflict in part-77.txt", to = "Could not apply" } },
  },
  {
    name = "git-push-rejected",
    language = "Git",
    tool = "git",
    tools = { "git" },
    family = "vcs",
    ci = "github",
    write = function(dir)
      dir:write(
        "make.sh",
        [[
git init -q -b main --bare there.git && git clone -q there.git one 2>/dev/null && git clone -q there.git two 2>/dev/null
cd one && echo 1 > a && git add a && git commit -qm 'First of one' && git push -q origin HEAD:main
cd ../two && git commit -q --allow-empty -m 'First of two' && git branch -M main
for i in $(seq 1 400); do git tag error-report-$i; done
]]
      )
    end,
    command = GIT
      .. "sh make.sh; cd two; git push --verbose --tags origin main; code=$?\n"
      .. "seq -f 'kept build/report-%g.txt for the next try' 1 200; exit $code",
    exits = 1,
    block = { { from = "! [rejected]", to = "hint: See the 'Note about fast-forwards'" } },
  },
  {
    name = "git-am",
    language = "Git",
    tool = "git",
    tools = { "git" },
    family = "vcs",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "make.sh",
        [[
git init -q -b main work && cd work
for i in $(seq 1 300); do printf 'errors of part %d: 0\nstate: open\n' $i > part-$i.txt; done
git add . && git commit -qm 'All parts' && git checkout -q -b topic
for i in $(seq 1 300); do
  sed -i 's/0/none/' part-$i.txt && git commit -qam "Report no errors as none in part $i, failed or not"
done
git format-patch -q -o ../patches main && git checkout -q main && git branch -qD topic
echo 'errors of part 222: 3' > part-222.txt && git commit -qam 'Count the errors of part 222'
]]
      )
    end,
    command = GIT .. "sh make.sh; cd work; git am ../patches/*.patch",
    exits = 128,
    block = { { from = "error: patch failed: part-222.txt:1", to = "error: part-222.txt: patch does not apply" } },
  },
}
