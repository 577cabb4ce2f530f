--- Whole failures of Haskell, OCaml, and of older compiled languages: Fortran, Pascal, Ada.

local text = require "score.text"
local each, fill = text.each, text.fill

local HASKELL = [[
module Unit$i (errors, names) where

import Data.List

errors :: Int -> String -> Int
errors limit name = length name + limit + $call

names :: [String] -> [String]
names list = sort [name | name <- list, let limit = $i, not (null name)]
]]

local HSPEC = [[
import Test.Hspec

spread :: Int -> Int -> [Int]
spread total ways = replicate ways (total `div` ways)

rate :: String -> Int
rate code = case lookup code [("EUR", 1)] of
  Just n -> n
  Nothing -> error ("no rate for " ++ code)

main :: IO ()
main = hspec $ do
  describe "spread" $ do
$tests    it "gives the rest to the first" $
      spread 10 4 `shouldBe` [3, 3, 2, 2]
  describe "rate" $ do
    it "is known for every currency" $
      rate "XTS" `shouldBe` 7
  describe "errors" $ do
$more]]

local HSPEC_CASE = [[
    it "fails with no error for $i" $
      sum (spread ($i * 4) 4) `shouldBe` $i * 4
]]

local OCAML = [[
type item = { name : string; price : int }

let rec total_$i (items : item list) limit = match items with
  | [] -> 0
  | { price; _ } :: rest -> price + total_$i rest limit

let errors_$i items =
  let spare = $i in
  List.fold_left (fun sum item -> sum + $call) 0 items
]]

local OUNIT = [[
open OUnit2

let spread total ways = List.init ways (fun _ -> total / ways)
let sum = List.fold_left ( + ) 0
let show list = String.concat "; " (List.map string_of_int list)

let softly n = Printf.sprintf "fails softly for %d" n >:: fun _ ->
  assert_equal ~printer:string_of_int (n * 4) (sum (spread (n * 4) 4))

let rest = "the rest is not lost" >:: fun _ ->
  assert_equal ~printer:show ~msg:"10 by 4" [3; 3; 2; 2] (spread 10 4)

let () = run_test_tt_main ("spread" >::: List.init 300 softly @ [rest] @ List.init 200 softly)
]]

local ALCOTEST = [[
let spread total ways = List.init ways (fun _ -> total / ways)
let sum = List.fold_left ( + ) 0

let softly n () =
  Printf.printf "spreading %d\n" (n * 4);
  Alcotest.(check int) "no error" (n * 4) (sum (spread (n * 4) 4))

let rest () = Alcotest.(check (list int)) "10 by 4" [3; 3; 2; 2] (spread 10 4)

let () =
  Alcotest.run "spread"
    [ "errors", List.init 400 (fun n -> Alcotest.test_case ("fails softly for " ^ string_of_int n) `Quick (softly n));
      "rest", [ Alcotest.test_case "the rest is not lost" `Quick rest ];
      "failures", List.init 300 (fun n -> Alcotest.test_case ("none for " ^ string_of_int n) `Quick (softly n)) ]
]]

local FORTRAN = [[
module unit_$i
  implicit none
contains
  integer function errors_$i(values, n)
    integer, intent(in) :: n
    real, intent(in) :: values(n)
    integer :: spare, limit
    limit = $i.5
    errors_$i = $call
  end function
end module
]]

local PASCAL = [[
unit unit$i;

interface

function Errors$i(const Name: string; Limit: Integer): Integer;

implementation

function Errors$i(const Name: string; Limit: Integer): Integer;
var
  Spare, Total: Integer;
begin
  Total := $i;
  Errors$i := Length(Name) + $call;
end;

end.
]]

local ADA = [[
package body Unit_$i is
   function Errors (Name : String; Limit : Integer) return Integer is
      Spare : Integer;
      Total : Integer := $i;
   begin
      return Name'Length + $call;
   end Errors;
end Unit_$i;
]]

local ADA_SPEC = [[
package Unit_$i is
   function Errors (Name : String; Limit : Integer) return Integer;
end Unit_$i;
]]

--- Sources from a template, with a fine call in each but those that `faults` names by number.
local function units(dir, path, template, first, last, fine, faults)
  for i = first, last do
    dir:write(path:format(i), fill(template, { i = i, call = faults[i] or fine }))
  end
end

return {
  {
    name = "ghc",
    language = "Haskell",
    tool = "ghc",
    tools = { "ghc" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      units(dir, "Unit%d.hs", HASKELL, 100, 150, "1", { [133] = "lenght name ++ show limit" })
    end,
    command = "ghc -Wall -O0 -outputdir out Unit*.hs",
    block = { { from = "Unit133.hs:6:43: error:", to = "^^^^^^" } },
  },
  {
    name = "cabal",
    language = "Haskell",
    tool = "cabal",
    tools = { "cabal", "ghc" },
    family = "compile",
    ci = "github",
    write = function(dir)
      units(dir, "src/Unit%d.hs", HASKELL, 100, 150, "1", { [121] = "name" })
      dir:write("cabal.config", "")
      dir:write(
        "shop.cabal",
        "cabal-version: 2.4\nname: shop\nversion: 0.1\n\nlibrary\n  hs-source-dirs: src\n"
          .. "  exposed-modules: "
          .. each(51, function(i)
            return "Unit" .. i + 99 .. " "
          end)
          .. "\n  build-depends: base\n  default-language: Haskell2010\n  ghc-options: -Wall -O0\n"
      )
    end,
    command = "HOME=$PWD cabal --config-file=$PWD/cabal.config v2-build --offline",
    block = { { from = "src/Unit121.hs:6:43: error:", to = "^^^^" } },
  },
  {
    name = "hspec",
    language = "Haskell",
    tool = "hspec",
    tools = { "ghc", "/usr/share/doc/libghc-hspec-dev" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      local function cases(first, n)
        return each(n, function(i)
          return fill(HSPEC_CASE, { i = first + i })
        end)
      end
      dir:write("Spec.hs", fill(HSPEC, { tests = cases(0, 250), more = cases(250, 200) }))
    end,
    command = "ghc -v0 -O0 Spec.hs -o spec && ./spec",
    block = {
      { from = "Spec.hs:515:19:", to = "but got:" },
      { from = "Spec.hs:9:14:", to = "error, called at", pick = "first" },
    },
  },
  {
    name = "ocamlopt",
    language = "OCaml",
    tool = "ocamlfind",
    tools = { "ocamlfind", "ocamlopt" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      units(dir, "unit%d.ml", OCAML, 100, 180, "item.price", { [155] = "item.name" })
    end,
    command = 'for f in unit*.ml; do echo "ocamlopt $f"; ' .. "ocamlfind ocamlopt -w +a-70 -c $f || exit 2; done",
    block = { { from = 'File "unit155.ml", line 9, characters 40-49', to = "    int" } },
  },
  {
    name = "dune",
    language = "OCaml",
    tool = "dune",
    tools = { "dune", "ocamlopt" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      dir:write("dune-project", "(lang dune 2.0)\n")
      dir:write("dune", "(executable (name main) (flags (:standard -w +a-70-32-26)))\n")
      units(dir, "unit%d.ml", OCAML, 100, 170, "item.price", { [144] = "item.prize" })
      dir:write(
        "main.ml",
        each(71, function(i)
          return ("let _ = Unit%d.errors_%d []\n"):format(i + 99, i + 99)
        end)
      )
    end,
    command = "HOME=$PWD dune build --root . --display verbose ./main.exe",
    block = { { from = 'File "unit144.ml", line 9', to = "Hint: Did you mean price?" } },
  },
  {
    name = "ounit",
    language = "OCaml",
    tool = "OUnit",
    tools = { "ocamlfind", "ocamlopt", "/usr/share/doc/libounit-ocaml-dev" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("spread_test.ml", OUNIT)
    end,
    command = "ocamlfind ocamlopt -package ounit2 -linkpkg spread_test.ml -o spread_test && "
      .. "./spread_test -runner sequential -display true -verbose true -no-output-file",
    block = { { from = "the rest is not lost has failed", to = "expected: 3; 3; 2; 2", pick = "first" } },
  },
  {
    name = "alcotest",
    language = "OCaml",
    tool = "alcotest",
    tools = { "ocamlfind", "ocamlopt", "/usr/share/doc/libalcotest-ocaml-dev" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("spread_test.ml", ALCOTEST)
    end,
    command = "ocamlfind ocamlopt -package alcotest -linkpkg spread_test.ml -o spread_test && "
      .. "./spread_test --color=always",
    block = { { from = "ASSERT 10 by 4", to = "Received" } },
  },
  {
    name = "gfortran",
    language = "Fortran",
    tool = "gfortran",
    tools = { "gfortran" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      units(dir, "unit_%d.f90", FORTRAN, 100, 170, "count(values > limit)", { [139] = "count(value > limit, spare" })
    end,
    command = 'for f in *.f90; do echo "gfortran -c $f"; gfortran -Wall -c $f || exit 1; done',
    block = { { from = "unit_139.f90:9:", to = "Error: ", pick = "first" } },
  },
  {
    name = "fpc",
    language = "Pascal",
    tool = "fpc",
    tools = { "fpc" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      units(dir, "unit%d.pas", PASCAL, 100, 180, "Limit", { [160] = "Limits + 'oak'" })
    end,
    command = "for f in *.pas; do fpc -vewnhi $f || exit 1; done",
    block = { { from = "unit160.pas(14,31) Error: Identifier not found" } },
  },
  {
    name = "gnat",
    language = "Ada",
    tool = "gnatmake",
    tools = { "gnatmake" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      units(dir, "unit_%d.adb", ADA, 100, 180, "Limit", { [150] = 'Limits & "oak"' })
      units(dir, "unit_%d.ads", ADA_SPEC, 100, 180, "", {})
    end,
    command = "for f in unit_*.adb; do gnatmake -c -gnatwa -gnatv $f || exit 4; done",
    block = { { from = "return Name'Length + Limits", to = "possible misspelling" } },
  },
}
