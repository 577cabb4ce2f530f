--- Whole failures of .NET: the C# compiler, builds, NUnit, exceptions.

local text = require "score.text"
local each, fill = text.each, text.fill

local UNIT = [[
using System;
using System.Collections.Generic;

namespace Shop {
    public class Unit$i {
        private int spare;
        readonly List<string> names = new List<string>();

        public int Errors(string name) {
            int limit = $i;
            names.Add(name);
            return $call;
        }
    }
}
]]

local PROJECT = [[
<Project DefaultTargets="Build" ToolsVersion="4.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <AssemblyName>$name</AssemblyName>
    <OutputType>Library</OutputType>
    <OutputPath>out/</OutputPath>
    <TargetFrameworkVersion>v4.5</TargetFrameworkVersion>
    <WarningLevel>4</WarningLevel>
    <NoCompilerStandardLib>false</NoCompilerStandardLib>
  </PropertyGroup>
  <ItemGroup><Compile Include="$name/*.cs"/><Reference Include="System"/></ItemGroup>
  <Import Project="$(MSBuildToolsPath)/Microsoft.CSharp.targets"/>
</Project>
]]

local BUILD_ALL = [[
<Project DefaultTargets="All" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <Target Name="All"><MSBuild Projects="@(Part)" Targets="Build"/></Target>
  <ItemGroup>$parts</ItemGroup>
</Project>
]]

local TESTS = [[
using System;
using System.Collections.Generic;
using NUnit.Framework;

namespace Shop {
    public class RateException : Exception {
        public RateException(string message, Exception inner) : base(message, inner) { }
    }

    public static class Prices {
        static readonly Dictionary<string, int> rates = new Dictionary<string, int> { { "EUR", 1 } };

        public static int Rate(string code) {
            try {
                return rates[code];
            } catch (KeyNotFoundException e) {
                throw new RateException("no rate for " + code, e);
            }
        }

        public static int[] Spread(int total, int ways) {
            var parts = new int[ways];
            for (int i = 0; i < ways; i++)
                parts[i] = total * Rate(total == 4004 ? "XTS" : "EUR") / ways;
            return parts;
        }
    }

    [TestFixture]
    public class SpreadTest {
$tests    }
}
]]

local TEST = [[
        [Test]
        public void ReportsNoErrorFor$i() {
            Assert.AreEqual($i, Prices.Spread($i * 4, 4)[0]);
        }

]]

local TEST_FAULTS = [[
        [Test]
        public void TheRestIsNotLost() {
            CollectionAssert.AreEqual(new[] { 3, 3, 2, 2 }, Prices.Spread(10, 4), "10 by 4");
        }

        [Test]
        public void EveryCurrencyHasARate() {
            Assert.AreEqual(1001, Prices.Spread(4004, 4)[0]);
        }

]]

local SERVER = [[
using System;
using System.IO;

public class StoreException : Exception {
    public StoreException(string message, Exception inner) : base(message, inner) { }
}

public static class Server {
    static int Columns(string row) {
        if (row.EndsWith("777"))
            throw new EndOfStreamException("row ends in column 3 of 7");
        return 7;
    }

    static int Load(string row) {
        try {
            return Columns(row);
        } catch (IOException e) {
            throw new StoreException("cannot load " + row, e);
        }
    }

    public static void Main() {
        for (int i = 0; i < 1200; i++)
            Console.WriteLine("info: request {0} answered 200, {1} columns, errors=0", i, Load("order-" + i));
    }
}
]]

return {
  {
    name = "mcs",
    language = ".NET",
    tool = "mcs",
    tools = { "mcs" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      for i = 100, 260 do
        local call = i == 144 and "name.Size" or i == 190 and "names" or "name.Length"
        dir:write("src/Unit" .. i .. ".cs", fill(UNIT, { i = i, call = call }))
      end
    end,
    command = "mcs -warn:4 -target:library -out:shop.dll src/*.cs",
    block = { { from = "src/Unit144.cs(12,25): error CS1061", to = "error CS0029" } },
  },
  {
    name = "xbuild",
    language = ".NET",
    tool = "xbuild",
    tools = { "xbuild", "mcs" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      for part = 10, 24 do
        dir:write("Part" .. part .. ".csproj", fill(PROJECT, { name = "Part" .. part }))
        for i = 1, 8 do
          local call = part == 19 and i == 5 and "Total(name)" or "name.Length"
          dir:write(("Part%d/Unit%d.cs"):format(part, i), fill(UNIT, { i = i, call = call }))
        end
      end
      dir:write(
        "all.proj",
        fill(BUILD_ALL, {
          parts = each(15, function(i)
            return ('<Part Include="Part%d.csproj"/>'):format(i + 9)
          end),
        })
      )
    end,
    command = "xbuild /nologo all.proj",
    block = { { from = "Part19/Unit5.cs(12,20): error CS0103", pick = "first" } },
  },
  {
    name = "nunit",
    language = ".NET",
    tool = "NUnit",
    tools = { "mcs", "nunit-console", "/usr/lib/cli/nunit.framework-2.6.3/nunit.framework.dll" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write(
        "SpreadTest.cs",
        fill(TESTS, {
          tests = each(400, function(i)
            return (i == 300 and TEST_FAULTS or "") .. fill(TEST, { i = i })
          end),
        })
      )
    end,
    command = "export MONO_PATH=/usr/lib/cli/nunit.framework-2.6.3\n"
      .. "mcs -debug -target:library -r:$MONO_PATH/nunit.framework.dll SpreadTest.cs && "
      .. "nunit-console -nologo -labels -nothread SpreadTest.dll",
    block = {
      { from = "1) Test Error : ", to = "at Shop.SpreadTest.EveryCurrencyHasARate" },
      { from = "2) Test Failure : Shop.SpreadTest.TheRestIsNotLost", to = "at Shop.SpreadTest.TheRestIsNotLost" },
    },
  },
  {
    name = "mono-exception",
    language = ".NET",
    tool = "mono",
    tools = { "mcs", "mono" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("Server.cs", SERVER)
    end,
    command = "mcs -debug Server.cs && mono --debug Server.exe",
    block = { { from = "Unhandled Exception:", before = "[ERROR] FATAL UNHANDLED EXCEPTION" } },
  },
}
