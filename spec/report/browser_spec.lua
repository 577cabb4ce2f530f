-- The page of a run in a real browser: what runs in it (nothing, or our script), how it lies, where links go, and how
-- quickly 10,000 calls open.
local abridge = require "abridge"
local browser = require "support.browser"
local host = require "abridge.base.host"
local hostile_run = require "support.hostile_run"
local html = require "support.html"
local tmpdir = require "support.tmpdir"

describe("in a browser the page of a run #check", function()
  local json = host.json()
  if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
  if not browser.program() then return pending "there is no Chromium: not tested in a browser" end

  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  local function make_run()
    local session = abridge.session { run_dir = dir:at "run", limits = { ["*"] = { max_lines = 20 } } }
    session:cap("fits", "a text that fits\n")
    session:cap("cut", ("a line of a long text\n"):rep(800))
    session:cap("fails", { content = { { type = "text", text = "no such thing" } }, isError = true })
    session:close()
  end

  --- A hostile run after so many calls: what a browser tells of its page.
  local function check_hostile(before)
    local session = abridge.session { run_dir = dir:at "run" }
    for i = 1, before do
      session:cap("before", "call " .. i)
    end
    session:close()
    hostile_run.make(dir:at "run")
    local script = [[
      for (const input of doc.querySelectorAll("input")) { input.click(); await frame(); }
      for (const details of doc.querySelectorAll("details")) details.open = true;
      await frame(); await frame();
      for (const input of doc.querySelectorAll("input")) { input.click(); await frame(); }
      for (const element of doc.querySelectorAll("*"))
        for (const type of ["mouseover", "focus", "load", "error"]) element.dispatchEvent(new win.Event(type));
      await new Promise(done => setTimeout(done, 200));
      const names = {};
      for (const element of doc.querySelectorAll("*")) {
        names[element.localName] = true;
        for (const attribute of element.attributes) names["@" + attribute.name] = true;
      }
      return { names: Object.keys(names).sort(), scripts: doc.scripts.length, styles: doc.styleSheets.length,
        calls: doc.querySelectorAll("section > details").length, title: doc.title,
        display: win.getComputedStyle(doc.querySelector(".sums")).display,
        shown: [...doc.querySelectorAll("pre")].filter(pre =>
          pre.textContent.includes("<script>console.log('ran')")).length };
    ]]
    local visit = browser.visit(html.page_of(dir:at "run"), script)
    assert.is_nil(visit.result.raised)
    assert.same({}, visit.console)
    assert.same({}, visit.asked)
    assert.equal(before > 1000 and 1 or 0, visit.result.scripts)
    assert.equal(1, visit.result.styles)
    assert.equal("grid", visit.result.display) -- the policy lets our style through
    assert.equal(before + 5 * #hostile_run.payloads + 1, visit.result.calls)
    assert.equal("Run run", visit.result.title)
    assert.is_true(visit.result.shown > 5)
    local known = ([[@aria-label @charset @checked @class @content @d @data-d @data-n @data-p @for @height @href
      @http-equiv @id @lang @name @open @preserveAspectRatio @role @type @viewBox @width @x @y a b body code dd del
      details div dl dt footer h1 h2 h3 head header html i input label li main meta p path pre rect script section small
      span style summary svg table tbody td th title tr ul]]):gsub("%s+", " ")
    for _, name in ipairs(visit.result.names) do
      assert.truthy((" " .. known .. " "):find(" " .. name .. " ", 1, true), name)
    end
  end

  it("runs nothing, asks for nothing and says nothing, whatever is in it", function()
    check_hostile(0)
  end)

  it("runs its own script alone where it is long, and that makes no more of what is in it", function()
    check_hostile(1100)
  end)

  it("would be caught running, asking and writing", function()
    local visit = browser.visit(
      "<!doctype html><script>console.log('ran');fetch('/leak')</script>",
      [[
      await new Promise(done => setTimeout(done, 200));
      return doc.scripts.length;
    ]]
    )
    assert.equal(1, visit.result)
    assert.matches('"ran"', table.concat(visit.console))
    assert.same({ "/leak" }, visit.asked)
  end)

  it("would have its policy catch what escaping let through", function()
    make_run()
    local page = html.page_of(dir:at "run"):gsub("</main>", function(main)
      return "<script>fetch('/leak')</script><img src=/leak onerror=fetch('/leak')><p style='color:red'>" .. main
    end)
    local visit = browser.visit(page, "await new Promise(done => setTimeout(done, 200)); return true")
    assert.same({}, visit.asked)
    assert.is_true(#visit.console >= 3)
  end)

  it("fits screens of 320 to 1280 pixels, its calls closed and open", function()
    make_run()
    local visit = browser.visit(
      html.page_of(dir:at "run"),
      [[
      const fits = [], rows = doc.querySelectorAll("details");
      for (const open of [false, true]) for (const width of [320, 390, 700, 1280]) {
        page.style.width = width + "px";
        for (const details of rows) details.open = open;
        await frame(); await frame();
        fits.push(doc.documentElement.scrollWidth <= doc.documentElement.clientWidth);
      }
      return fits;
    ]]
    )
    assert.same({ true, true, true, true, true, true, true, true }, visit.result)
  end)

  it("opens a call, and goes to the lines that a part of the map stands for", function()
    make_run()
    local visit = browser.visit(
      html.page_of(dir:at "run"),
      [[
      const seen = element => { const box = element.getBoundingClientRect();
        return box.height > 0 && box.top < win.innerHeight && box.bottom > 0; };
      const click = element => element.dispatchEvent(new win.MouseEvent("click",
        { bubbles: true, cancelable: true, view: win }));
      click(doc.querySelector(".fails a"));
      await frame(); await frame();
      const failed = doc.querySelector("#c3").closest("details").open && seen(doc.querySelector("#c3"));
      win.location.hash = "#c2";
      await frame(); await frame();
      click(doc.querySelector(".map a[href='#c2s2']"));
      await frame(); await frame();
      const left_out = doc.querySelector("#c2s2");
      return { failed, hash: win.location.hash, seen: seen(left_out), text: left_out.textContent.slice(0, 30),
        first: doc.querySelector("details").open };
    ]]
    )
    assert.is_true(visit.result.failed)
    assert.equal("#c2s2", visit.result.hash)
    assert.is_true(visit.result.seen)
    assert.matches("^lines %d+–%d+, ", visit.result.text)
    assert.is_false(visit.result.first)
  end)

  it("shows all calls, those that failed, or those that were cut", function()
    make_run()
    local visit = browser.visit(
      html.page_of(dir:at "run"),
      [[
      const rows = [];
      for (const id of ["all", "bad", "cut"]) {
        doc.querySelector("label[for=" + id + "]").click();
        await frame();
        rows.push([...doc.querySelectorAll("section > details")].filter(row =>
          win.getComputedStyle(row).display !== "none").map(row => row.querySelector(".t").textContent).join(" "));
      }
      return rows;
    ]]
    )
    assert.same({ "fits cut fails", "fails", "cut" }, visit.result)
  end)

  it("has text that can be read, in the light and in the dark", function()
    make_run()
    local visit = browser.visit(
      html.page_of(dir:at "run"),
      [==[
      const light = color => { const [r, g, b] = color.match(/[\d.]+/g).map(Number).map(v => (v /= 255) <= 0.03928 ?
        v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const rules = [...doc.styleSheets[0].cssRules];
      const dark = rules.find(rule => rule.media && rule.media.mediaText.includes("dark")).cssRules[0].style;
      const least = { light: 99, dark: 99 };
      for (const [name, style] of [["light", rules[0].style], ["dark", dark]]) {
        const color = key => { const box = doc.createElement("div"); doc.body.append(box); win.getComputedStyle(box);
          box.setAttribute("class", ""); box.style.color = style.getPropertyValue(key) ||
          rules[0].style.getPropertyValue(key);
          const value = win.getComputedStyle(box).color; box.remove(); return value; };
        for (const [text, back] of [["--fg", "--bg"], ["--dim", "--bg"], ["--fg", "--soft"], ["--dim", "--gone"],
            ["--bad", "--bg"], ["--bad", "--badbg"], ["--say", "--soft"], ["--say", "--gone"], ["--seen", "--bg"]])
          least[name] = Math.min(least[name], ratio(light(color(text)), light(color(back))));
      }
      return least;
    ]==]
    )
    assert.is_true(visit.result.light >= 4.5, ("light: %.2f"):format(visit.result.light))
    assert.is_true(visit.result.dark >= 4.5, ("dark: %.2f"):format(visit.result.dark))
  end)

  --- A run of 10,000 calls.
  local function make_long()
    dir:sh "mkdir -m 700 run"
    local file, text = assert(io.open(dir:at "run/events.jsonl", "wb")), ("a line of some words\n"):rep(60)
    for i = 1, 10000 do
      local id, content = "call-" .. i, text:sub(1, i % 50 * 21)
      local block = { truncated = i % 4 == 0, reason = "line_cap", bytes_returned = #content, bytes_total = #text }
      local range = { first_byte = 1, last_byte = #content, first_line = 1, last_line = i % 50 }
      local kept = #content > 0 and { range } or nil
      local cut = { truncated = i % 4 == 0, total_lines = 60, total_bytes = #text, output_bytes = #content }
      cut.kept = kept
      local input = { command = id }
      file:write(json.encode { type = "tool_call", call_id = id, tool = "tool", time = i, input = input }, "\n")
      file:write(
        json.encode {
          type = "tool_result",
          call_id = id,
          tool = "tool",
          content = content,
          truncation = block,
          cut = cut,
          bytes_in = #text,
          bytes_shown = #content,
          duration_ms = 5,
          is_error = i % 20 == 0,
        },
        "\n"
      )
    end
    file:close()
  end

  it("opens with 10,000 calls", function()
    make_long()
    local visit = browser.visit(
      html.page_of(dir:at "run"),
      [[
      await frame(); await frame();
      const shown = performance.now() - began, elements = doc.querySelectorAll("*").length;
      const seen = element => { const box = element.getBoundingClientRect();
        return box.height > 0 && box.top < win.innerHeight && box.bottom > 0; };
      const all = () => [...doc.querySelectorAll("section > details")];
      win.location.hash = "#c9001";
      while (!doc.querySelector("#c9001:target")) await frame();
      await frame(); await frame();
      const linked = seen(doc.querySelector("#c9001"));
      doc.querySelector("label[for=bad]").click();
      await frame(); await frame();
      const calls = all().length, failed = all().filter(call => call.checkVisibility()).length;
      doc.querySelector("label[for=all]").click();
      win.scrollTo(0, doc.documentElement.scrollHeight);
      await frame(); await frame();
      win.scrollTo(0, doc.documentElement.scrollHeight);
      await frame(); await frame();
      return { opened, shown, elements, linked, calls, failed, last: seen(all().pop()),
        later: doc.querySelectorAll(".later, noscript").length };
    ]]
    )
    print(("\n  10,000 calls open in %.0f ms, %.0f elements"):format(visit.result.shown, visit.result.elements))
    assert.is_true(visit.result.elements < 16000, visit.result.elements)
    assert.is_true(visit.result.linked)
    assert.equal(10000, visit.result.calls)
    assert.equal(500, visit.result.failed)
    assert.is_true(visit.result.last)
    assert.equal(0, visit.result.later)
    assert.same({}, visit.console)
  end)

  it("has all 10,000 calls without a pick, once it is idle; a browser without scripts has them at once", function()
    make_long()
    local page = html.page_of(dir:at "run")
    local counting = [[
      while (doc.querySelectorAll("section > details, noscript > details").length < 10000) await frame();
      return doc.querySelectorAll(".later").length;
    ]]
    assert.equal(0, browser.visit(page, counting).result)
    assert.equal(180, browser.visit(page, counting, "sandbox='allow-same-origin'").result)
  end)
end)
