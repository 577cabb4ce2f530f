--- Emacs Lisp, Tcl, Scheme, Prolog, TeX, assembly, Vim script, Puppet, CSS and HTML.

local text = require "score.text"
local each, fill = text.each, text.fill

local ERT = [[
;;; -*- lexical-binding: t -*-
(require 'ert)

(defun report (n)
  (list :part n :lines (make-list 3 "line") :errors nil :state (if (= n 217) 'held 'open)))

(dotimes (i 300)
  (eval `(ert-deftest ,(intern (format "error-free-report-of-part-%d" i)) ()
           (should (equal (report ,i) '(:part ,i :lines ("line" "line" "line") :errors nil :state open))))
        t))
]]

local BYTE = [[
;;; part$i.el --- errors of part $i -*- lexical-binding: t -*-
(defun part$i-errors (lines)
  "Count the errors of LINES in part $i."
  (let ((failed (length lines)))
    (+ failed $rest)))
(provide 'part$i)
;;; part$i.el ends here
]]

local TCL = [=[
package require tcltest
namespace import tcltest::*
configure -verbose {pass body error start}

proc total {lines} { set sum 0; foreach line $lines { incr sum $line }; return $sum }

for {set i 1} {$i <= 240} {incr i} {
    test errors-$i "the report of $i lines has no error" -body {
        total [lrepeat $i [expr {$i == 171 && $i == [llength [lrepeat $i 2]] ? 3 : 2}]]
    } -result [expr {$i * 2}]
}
set failed $::tcltest::numTests(Failed)
cleanupTests
exit $failed
]=]

local GUILE = [[
(define rates '((eur . 1) (usd . 1.1)))
(define (rate currency) (assq-ref rates currency))
(define (book n currency) (* n (rate currency)))

(setvbuf (current-output-port) 'line)
(do ((n 1 (+ n 1))) ((> n 1200))
  (format #t "entry ~a is booked with ~a, 0 errors~%" n (book n (if (= n 1101) 'xaf 'eur))))
]]

local PROLOG = [[
:- initialization(main, main).
rate(eur, 1).
rate(usd, 1.1).
book(N, C) :- rate(C, R), V is N * R, format("entry ~w is booked with ~w, 0 errors~n", [N, V]).
entry(N) :- N =:= 1101, !, V is N * rate, book(V, eur).
entry(N) :- book(N, eur).
main :- forall(between(1, 1200, N), entry(N)).
]]

local VIM = [[
function! Total(lines) abort
  let sum = 0
  for line in a:lines
    let sum += line.price
  endfor
  return sum
endfunction

function! Import() abort
  for i in range(1, 900)
    echo printf("row %d is in, its total is %d, 0 errors\n", i, Total(i == 801 ? [{'prise': i}] : [{'price': i}]))
  endfor
endfunction
]]

return {
  {
    name = "emacs-ert",
    language = "Emacs Lisp",
    tool = "ert",
    tools = { "emacs" },
    family = "lisp-test",
    ci = "travis",
    write = function(dir)
      dir:write("report-test.el", ERT)
    end,
    command = "HOME=$PWD emacs -Q --batch -l report-test.el -f ert-run-tests-batch-and-exit",
    exits = 1,
    block = { { from = "Test error-free-report-of-part-217 condition:", to = "FAILED  " } },
  },
  {
    name = "emacs-byte-compile",
    language = "Emacs Lisp",
    tool = "emacs",
    tools = { "emacs" },
    family = "lisp-compile",
    ci = "gitlab",
    write = function(dir)
      for i = 1, 160 do
        dir:write(fill("part$i.el", { i = i }), fill(BYTE, { i = i, rest = i == 133 and "rset" or "0" }))
      end
    end,
    command = "HOME=$PWD emacs -Q --batch --eval '(setq byte-compile-error-on-warn t byte-compile-verbose t)' "
      .. '--eval \'(dotimes (i 160) (message "Checking part%d.el and its errors..." (1+ i)) '
      .. '(unless (byte-compile-file (format "part%d.el" (1+ i))) (kill-emacs 1)))\'',
    exits = 1,
    block = { { from = "part133.el:5:15: Error:" } },
  },
  {
    name = "tcltest",
    language = "Tcl",
    tool = "tcltest",
    tools = { "tclsh" },
    family = "tcl-test",
    ci = "jenkins",
    write = function(dir)
      dir:write("report.test", TCL)
    end,
    command = "tclsh report.test",
    exits = 1,
    block = { { from = "==== errors-171 the report of 171 lines", to = "==== errors-171 FAILED" } },
  },
  {
    name = "guile-backtrace",
    language = "Scheme",
    tool = "guile",
    tools = { "guile" },
    family = "scheme-run",
    ci = "github",
    write = function(dir)
      dir:write("book.scm", GUILE)
    end,
    command = "HOME=$PWD guile --no-auto-compile book.scm",
    exits = 1,
    block = { { from = "Backtrace:", to = "Wrong type" } },
  },
  {
    name = "swipl",
    language = "Prolog",
    tool = "swipl",
    tools = { "swipl" },
    family = "prolog-run",
    ci = "gitlab",
    write = function(dir)
      dir:write("book.pl", PROLOG)
    end,
    command = "swipl book.pl",
    block = { { from = "rate/0' is not a function" } },
  },
  {
    name = "pdflatex",
    language = "TeX",
    tool = "pdflatex",
    tools = { "pdflatex" },
    family = "tex",
    ci = "travis",
    write = function(dir)
      dir:write("report.tex", "\\documentclass{article}\n\\begin{document}\n" .. each(300, function(i)
        dir:write(
          fill("part$i.tex", { i = i }),
          fill(
            "The errors of part $i were counted; $it, see\\ref{none$i}.\n\n",
            { i = i, it = i == 244 and "\\emhp{none} were found" or "none were found" }
          )
        )
        return fill("\\section{Errors of part $i}\n\\input{part$i}\n", { i = i })
      end) .. "\\end{document}\n")
    end,
    command = "pdflatex -interaction=nonstopmode -halt-on-error report.tex",
    exits = 1,
    block = { { from = "! Undefined control sequence.", to = "{none} were found" } },
  },
  {
    name = "nasm",
    language = "Assembly",
    tool = "nasm",
    tools = { "nasm" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 400 do
        dir:write(
          fill("part$i.asm", { i = i }),
          fill(
            "global errors$i\nsection .text\nerrors$i:\n    mov eax, $i\n" .. "    $op\n    ret\n",
            { i = i, op = i == 342 and "mov eax, [ebx + 4]\n    mvo eax, 1" or "xor edx, edx" }
          )
        )
      end
    end,
    command = 'for i in $(seq 1 400); do echo "nasm -f elf64 -Werror=all part$i.asm -o part$i.o"\n'
      .. "nasm -f elf64 part$i.asm -o part$i.o || bad=1; done; exit $bad",
    exits = 1,
    block = { { from = "part342.asm:6: error:" } },
  },
  {
    name = "vim-script",
    language = "Vim script",
    tool = "nvim",
    tools = { "nvim" },
    family = "script-run",
    ci = "gitlab",
    write = function(dir)
      dir:write("import.vim", VIM)
    end,
    command = "HOME=$PWD nvim --headless -u NONE -i NONE -n -c 'source import.vim' "
      .. "-c 'try | call Import() | catch | echo v:throwpoint | echo v:exception | cquit | endtry' -c quit",
    exits = 1,
    block = { { from = "function Import[2]..Total, line 3", to = "E716: Key not present" } },
  },
  {
    name = "puppet-parser",
    language = "Puppet",
    tool = "puppet",
    tools = { "puppet" },
    family = "ops",
    ci = "github",
    write = function(dir)
      for i = 1, 60 do
        dir:write(
          fill("part$i.pp", { i = i }),
          fill(
            "class errors::part$i {\n"
              .. "  notify { 'errors of part $i': message => 'none' }\n"
              .. "  file { '/srv/part$i':\n    ensure => file,\n    mode => '0644'$sep\n    content => 'errors: 0',\n"
              .. "  }\n}\n",
            { i = i, sep = i == 47 and "" or "," }
          )
        )
      end
    end,
    command = "seq -f 'fixture %g of 600 is in place, 0 errors' 1 600; HOME=$PWD puppet parser validate "
      .. "--color=false --verbose *.pp",
    exits = 1,
    block = { { from = "Error: Could not parse for environment" } },
  },
  {
    name = "stylelint",
    language = "CSS",
    tool = "stylelint",
    tools = { "stylelint" },
    family = "js-lint",
    ci = "jenkins",
    write = function(dir)
      dir:write(".stylelintrc.json", '{ "rules": { "color-no-invalid-hex": true, "property-no-unknown": true } }\n')
      for i = 1, 200 do
        dir:write(
          fill("src/error$i.css", { i = i }),
          fill(
            ".error-$i {\n  color: $color;\n  $margin: 0;\n}\n",
            { i = i, color = i == 166 and "#ff00f" or "#f00", margin = i == 166 and "maring" or "margin" }
          )
        )
      end
    end,
    command = "seq -f 'minified sheet %g: 0 errors, 31 bytes' 1 900; stylelint --formatter string 'src/*.css' 2>&1",
    exits = 2,
    block = { { from = "src/error166.css", to = "property-no-unknown" } },
  },
  {
    name = "htmlhint",
    language = "HTML",
    tool = "htmlhint",
    tools = { "htmlhint" },
    family = "js-lint",
    ci = "github",
    write = function(dir)
      for i = 1, 120 do
        dir:write(
          fill("errors$i.html", { i = i }),
          fill(
            "<!DOCTYPE html>\n<html>\n"
              .. "<head><title>Errors of part $i</title></head>\n"
              .. '<body>\n<p id="none">No errors$close\n</body>\n</html>\n',
            { i = i, close = i == 88 and "" or "</p>" }
          )
        )
      end
    end,
    command = "seq -f 'rendered page %g from 3 parts, 0 broken links' 1 600; htmlhint --nocolor '*.html'",
    exits = 1,
    block = { { from = "errors88.html", to = "(tag-pair)" } },
  },
}
