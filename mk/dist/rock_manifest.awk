# Writes a rock's rock_manifest, nested tables of MD5 sums, from what md5sum prints of its files in sorted order.

function close_to(level) {
  while (depth > level) {
    depth--
    printf "%*s},\n", 3 * (depth + 1), ""
  }
}

BEGIN { print "rock_manifest = {" }

{
  n = split(substr($0, 35), part, "/")
  for (common = 0; common < depth && common < n - 1 && part[common + 1] == open[common + 1]; ) common++
  close_to(common)
  while (depth < n - 1) {
    depth++ # apart: which side of an assignment an awk evaluates first is its own affair
    open[depth] = part[depth]
    printf "%*s[\"%s\"] = {\n", 3 * depth, "", open[depth]
  }
  printf "%*s[\"%s\"] = \"%s\",\n", 3 * (depth + 1), "", part[n], $1
}

END { close_to(0); print "}" }
