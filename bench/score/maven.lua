--- Maven as Debian has it: without a network, from the packages' own repository.

local M = {}

M.TOOLS = {
  "mvn",
  "/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin",
  "/etc/maven/settings-debian.xml",
}
M.TEST = "mvn -o -B -s /etc/maven/settings-debian.xml test"

--- A project that needs "group:artifact:version" for its tests.
function M.pom(dependency)
  return ([[
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>shop</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <maven.compiler.showWarnings>true</maven.compiler.showWarnings>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version><scope>test</scope>
    </dependency>
  </dependencies>
</project>
]]):format(dependency:match "(.*):(.*):(.*)")
end

return M
