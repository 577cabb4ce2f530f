--- Whole failures of Java, Kotlin and Scala: compilers, build tools, test runners, exceptions.

local maven = require "score.maven"
local text = require "score.text"
local each, fill = text.each, text.fill

local UNIT = [[
package org.example.shop;

import java.util.*;

public class Unit$i {
    private final List<String> names = new ArrayList();

    public int errors(String name) {
        names.add(name);
        return new Integer($call);
    }
}
]]

local SPREAD = [[
package org.example.shop;

public class Spread {
    private final Rates rates;

    public Spread(Rates rates) { this.rates = rates; }

    public int[] of(int total, int ways) {
        int[] parts = new int[ways];
        for (int i = 0; i < ways; i++)
            parts[i] = rates.scaled(total) / ways;
        return parts;
    }
}
]]

local RATES = [[
package org.example.shop;

public class Rates {
    private final java.util.Map<String, Integer> byCode = new java.util.HashMap<>();

    public Rates() { byCode.put("EUR", 1); }

    public int scaled(int total) {
        return total * byCode.get(total == 4004 ? "XTS" : "EUR");
    }
}
]]

local TESTS = [[
package org.example.shop;

import static org.junit.Assert.*;
import java.util.Arrays;
import org.junit.Test;

public class TestSpread$group {
    private final Spread spread = new Spread(new Rates());

$tests}
]]

local TEST = [[
    @Test
    public void reportsTheErrorOf$i() {
        System.out.println("spread $i: error handler is set, retry 0 of 3");
        assertEquals($i, Arrays.stream(spread.of($i * 4, 4)).sum() / 4);
    }

]]

local TEST_FAULTS = [[
    @Test
    public void theRestIsNotLost() {
        assertEquals("10 by 4", "[3, 3, 2, 2]", Arrays.toString(spread.of(10, 4)));
    }

    @Test
    public void everyCurrencyHasARate() {
        assertEquals(1001, spread.of(4004, 4)[0]);
    }

]]

--- The sources and tests of a shop under `main` and `tests`, two of the tests failing; 20 tests a class.
local function shop(dir, main, tests, classes)
  dir:write(main .. "/org/example/shop/Spread.java", SPREAD)
  dir:write(main .. "/org/example/shop/Rates.java", RATES)
  for group = 10, 9 + classes do
    local body = each(20, function(i)
      return fill(TEST, { i = group * 20 + i })
    end)
    if group == 10 + math.floor(classes * 0.6) then body = body .. TEST_FAULTS end
    dir:write(
      ("%s/org/example/shop/TestSpread%d.java"):format(tests, group),
      fill(TESTS, { group = group, tests = body })
    )
  end
end

local GRADLE = [[
apply plugin: 'java'
dependencies {
    testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')
}
test {
    testLogging {
        events 'passed', 'failed'
        exceptionFormat 'full'
    }
}
]]

local ANT = [[
<project name="shop" default="test">
  <target name="compile">
    <mkdir dir="out"/>
    <javac srcdir="src" destdir="out" includeantruntime="false" classpath="/usr/share/java/junit4.jar"/>
  </target>
  <target name="test" depends="compile">
    <junit haltonfailure="false" failureproperty="failed" fork="true" forkmode="once">
      <classpath path="out:/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar"/>
      <formatter type="plain" usefile="false"/>
      <batchtest><fileset dir="out" includes="**/TestSpread*.class"/></batchtest>
    </junit>
    <fail if="failed" message="Tests have failed."/>
  </target>
</project>
]]

local JUNIT = "/usr/share/java/junit4.jar"

local SERVER = [[
import java.io.*;
import java.util.*;

public class Server {
    static class StoreException extends RuntimeException {
        StoreException(String message, Throwable cause) { super(message, cause); }
    }

    static int columns(String row) throws IOException {
        if (row.endsWith("777"))
            throw new EOFException("row ends in column 3 of 7");
        return 7;
    }

    static int load(String row) {
        try {
            return columns(row);
        } catch (IOException e) {
            throw new StoreException("cannot load " + row, e);
        }
    }

    static void serve(int i) {
        try {
            System.out.println("request " + i + ": 200 OK, " + load("order-" + i) + " columns, errors=0");
        } catch (StoreException e) {
            throw new IllegalStateException("request " + i + " is not served", e);
        }
    }

    public static void main(String[] args) {
        Arrays.stream(new int[] { 1 }).forEach(n -> {
            for (int i = 0; i < 900; i++)
                serve(i);
        });
    }
}
]]

local JUPITER = [[
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import org.junit.jupiter.api.*;

class BasketTest {
$tests}
]]

local JUPITER_TEST = [[
    @Test
    void failsCleanlyWithoutItem$i() {
        assertEquals(List.of("oak", "item $i"), List.of("oak", "item $got"), "basket $i");
    }

]]

local KOTLIN = [[
package shop

class Unit$i(val name: String) {
    fun errors(limit: Int, unused: Int): Int {
        val spare = limit + $i
        return name!!.length + $call
    }
}
]]

local SCALA = [=[
package shop

class Unit$i(val name: String) {
  def first(items: List[Option[Int]]): Int = items.head match {
    case Some(n) => n + $call
  }
}
]=]

return {
  {
    name = "javac-symbol",
    language = "Java",
    tool = "javac",
    tools = { "javac" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      for i = 100, 180 do
        local call = i == 144 and "name.size()" or i == 161 and "Integer.parse(name, names)" or "name.length()"
        dir:write("src/Unit" .. i .. ".java", fill(UNIT, { i = i, call = call }))
      end
    end,
    command = "javac -Xlint:all -Xmaxwarns 1000 -d out src/*.java",
    block = {
      { from = "Unit144.java:10: error: cannot find symbol", to = "location: variable name" },
      { from = "Unit161.java:10: error: cannot find symbol", to = "location: class Integer" },
    },
  },
  {
    name = "junit4",
    language = "Java",
    tool = "JUnit 4",
    tools = { "javac", JUNIT },
    family = "test",
    ci = "travis",
    write = function(dir)
      shop(dir, "src", "src", 40)
    end,
    command = "CLASSPATH=out:/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar; export CLASSPATH\n"
      .. "javac -d out $(find src -name '*.java') && java org.junit.runner.JUnitCore "
      .. "$(seq -f org.example.shop.TestSpread%.0f 10 49)",
    block = {
      { from = "1) theRestIsNotLost(org.example.shop.TestSpread34)", to = "TestSpread34.theRestIsNotLost(" },
      { from = "2) everyCurrencyHasARate(", to = "TestSpread34.everyCurrencyHasARate(" },
    },
  },
  {
    name = "ant-junit",
    language = "Java",
    tool = "ant",
    tools = { "javac", "ant", JUNIT, "/usr/share/java/ant-junit4.jar" },
    family = "test",
    ci = "jenkins",
    write = function(dir)
      shop(dir, "src", "src", 30)
      dir:write("build.xml", ANT)
    end,
    command = "ant -noinput test",
    block = {
      { from = "Testcase: theRestIsNotLost took", to = "TestSpread28.theRestIsNotLost(" },
      { from = "Testcase: everyCurrencyHasARate took", to = "TestSpread28.everyCurrencyHasARate(" },
    },
  },
  {
    name = "maven-test",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "test",
    ci = "github",
    write = function(dir)
      shop(dir, "src/main/java", "src/test/java", 25)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] theRestIsNotLost(", before = "[INFO] Running" } },
  },
  {
    name = "maven-compile",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
      for i = 100, 190 do
        dir:write(
          "src/main/java/org/example/shop/Unit" .. i .. ".java",
          fill(UNIT, { i = i, call = i == 144 and "name.size()" or "name.length()" })
        )
      end
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] COMPILATION ERROR :", to = "location: variable name of type" } },
  },
  {
    name = "gradle-test",
    language = "Java",
    tool = "gradle",
    tools = { "gradle", JUNIT },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      shop(dir, "src/main/java", "src/test/java", 24)
      dir:write("build.gradle", GRADLE)
    end,
    command = "gradle --offline --no-daemon -g $PWD/home test",
    block = {
      { from = "theRestIsNotLost FAILED", to = "TestSpread24.theRestIsNotLost(" },
      { from = "everyCurrencyHasARate FAILED", to = "TestSpread24.everyCurrencyHasARate(" },
    },
  },
  {
    name = "junit5-console",
    language = "Java",
    tool = "JUnit 5",
    tools = { "javac", "/usr/share/java/junit-jupiter-engine.jar", "/usr/share/java/junit-platform-console.jar" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "BasketTest.java",
        fill(JUPITER, {
          tests = each(500, function(i)
            return fill(JUPITER_TEST, { i = i, got = i == 288 and 282 or i })
          end),
        })
      )
    end,
    command = "cd /usr/share/java; CLASSPATH=$(ls $PWD/junit-*.jar $PWD/opentest4j.jar $PWD/picocli.jar "
      .. "$PWD/apiguardian-api.jar $PWD/univocity-parsers.jar | tr '\\n' ':')out; export CLASSPATH; cd - >/dev/null\n"
      .. "javac -d out BasketTest.java && java org.junit.platform.console.ConsoleLauncher --scan-classpath out "
      .. "--disable-ansi-colors --disable-banner",
    block = {
      { from = "failsCleanlyWithoutItem288() ✘" },
      { from = "JUnit Jupiter:BasketTest:failsCleanlyWithoutItem288()", to = "failsCleanlyWithoutItem288(Basket" },
    },
  },
  {
    name = "java-exception",
    language = "Java",
    tool = "java",
    tools = { "javac" },
    family = "runtime",
    ci = "github",
    write = function(dir)
      dir:write("Server.java", SERVER)
    end,
    command = "javac Server.java && java Server",
    block = { { from = 'Exception in thread "main"', to = "... 5 more" } },
  },
  {
    name = "kotlinc",
    language = "Kotlin",
    tool = "kotlinc",
    tools = { "kotlinc" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      for i = 100, 190 do
        local call = i == 127 and 'limit.plus("oak")' or i == 160 and "lenght" or "1"
        dir:write("src/Unit" .. i .. ".kt", fill(KOTLIN, { i = i, call = call }))
      end
    end,
    command = "kotlinc src -d out",
    block = {
      { from = "src/Unit127.kt:6:38: error:", to = "^" },
      { from = "src/Unit160.kt:6:32: error: unresolved reference: lenght", to = "^" },
    },
  },
  {
    name = "scalac",
    language = "Scala",
    tool = "scalac",
    tools = { "scalac" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      for i = 100, 200 do
        dir:write("src/Unit" .. i .. ".scala", fill(SCALA, { i = i, call = i == 155 and "name.lines.toSet" or "1" }))
      end
    end,
    command = "mkdir out && scalac -deprecation -feature -d out src/*.scala",
    block = { { from = "src/Unit155.scala:5: error:", to = "^" } },
  },
}
