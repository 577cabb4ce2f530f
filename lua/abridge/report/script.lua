--- The script of a long run's page: a browser is slow to make 10,000 calls, so most sections come as text, in
--- `noscript`, and become elements when they are near, and one by one while nothing else is to do. A browser that runs
--- no scripts reads them as they are.

local M = {}

--- Calls that a browser lays out together, once they come into sight.
M.SECTION = 50

local CODE = [[
const sections = document.getElementsByTagName("section");
const fill = section => {
  if (!section?.classList.contains("later")) return;
  section.classList.remove("later");
  section.innerHTML = section.textContent;
};
const fillAll = () => [...sections].forEach(fill);
const fillFor = hash => {
  const number = /^#c(\d+)/.exec(hash);
  if (number) fill(sections[Math.ceil(number[1] / SECTION) - 1]);
};
const near = new IntersectionObserver(seen => {
  for (const one of seen) if (one.isIntersecting) fill(one.target);
}, { rootMargin: "100%" });
for (const section of document.querySelectorAll(".later")) near.observe(section);
fillFor(location.hash);
addEventListener("click", event => fillFor(event.target.closest("a")?.getAttribute("href")), true);
addEventListener("hashchange", () => {
  const hash = location.hash;
  if (!hash || document.getElementById(hash.slice(1))) return;
  fillFor(hash);
  location.replace(hash);
});
addEventListener("change", fillAll);
addEventListener("beforeprint", fillAll);
const idle = window.requestIdleCallback ?? setTimeout;
const fillNext = () => {
  const section = document.querySelector(".later");
  if (section) fill(section), idle(fillNext);
};
addEventListener("load", () => idle(fillNext));
]]

M.code = CODE:gsub("SECTION", tostring(M.SECTION))

--- The hash that lets a Content-Security-Policy allow the script; a test says when it is out of date.
M.sha256 = "mMO59n0ydBOhU8tFl5pMUjum7AJrWVlfLJDtOwFguyc="

return M
